#!/bin/sh
# Stet. Behind these lines is the jar. The JVM's own choice of a heap follows the machine's memory, this one what Stet
# needs: the collector and the size are those that the JVM takes on a machine of 1 GiB. A process without memory ends, with
# exit code 3, to be started again: it could go on without the thread that accepts connections. A JVM that keeps performance data
# changes into their folder, and stays there when its user may not read the folder that it was started in. A serve's threads of
# the lowest priority get a nice value of 10 and all others 0; the warning that is switched off says that only root can go below
# 0. JAVA_OPTS comes last, and so wins.
set -f # the words of JAVA_OPTS are no patterns of file names
case "$1" in
  account | activity | backup | check | compact | diff | export | health | help | import | key | preview | pull | push | restore | rollback | status | template | token | usage | user | version) command=yes options=-XX:TieredStopAtLevel=1 ;;
  fixture) command=yes options=-XX:TieredStopAtLevel=1 ;;
  *) command=
     options="-XX:+UnlockDiagnosticVMOptions -XX:-PrintWarnings -XX:ThreadPriorityPolicy=1"
     options="$options -XX:JavaPriority1_To_OSPriority=10 -XX:JavaPriority9_To_OSPriority=0" ;;
esac
# Those that read the whole database are long, and compare it three times as fast with all compilers.
case "$1" in backup | check | restore) options= ;; esac
# What is long and only reads gives way to a serve beside it. What writes does not: the serve would wait for its locks.
case "$1" in backup | check | export) nice="nice -n 10" ;; *) nice= ;; esac
# The archive of classes in the data folder saves about a quarter of the time of a start. The JVM of a serve or demo writes it when
# it ends, where there is none for this JVM and jar. A part of one, as after a power failure, would crash the JVM: so the next start
# tries it, and its size is in its name from then on. Another user's archive is not used: it is code.
data=${STET_DATA:-stet-data} before=
for word; do
  [ "$before" != --data ] || data=$word
  case "$word" in --data=*) data=${word#--data=} ;; esac
  before=$word
done
java=${JAVA:-java} jar=$0 version= classes=$data/native/classes
release=$(readlink -f "$(command -v "$java")" 2>/dev/null) release=${release%/bin/java}/release
[ ! -r "$release" ] || while IFS='"' read -r name value _; do
  [ "$name" != JAVA_RUNTIME_VERSION= ] || version=$value
done <"$release"
# shellcheck disable=SC2086 # several words on purpose
set -- $JAVA_OPTS -jar "$jar" "$@"
silent="-Xlog:cds=off -Xlog:cds+dynamic=off"
bytes() { echo $(($(wc -c <"$1"))); }
# shellcheck disable=SC2086,SC3013,SC3067 # dash, ksh, BusyBox, bash and zsh have -nt and -O
case "$version:$data" in
  :* | *:*:*) ;; # the JVM would take a colon for the end of a file's name
  *) fitting=$classes-$version-$(bytes "$jar")-
     if [ -O "$classes.new" ]; then
       if "$java" -Xshare:on -XX:SharedArchiveFile="$classes.new" -XX:+VerifySharedSpaces -XX:+UseSerialGC -XX:ErrorFile=/dev/null \
         -XX:-CreateCoredumpOnCrash -jar "$jar" version; then mv "$classes.new" "$fitting$(bytes "$classes.new").jsa"; fi
       rm -f "$classes.new"
     fi >/dev/null 2>&1
     set +f
     for archive in "$fitting"*.jsa; do :; done
     set -f
     size=${archive#"$fitting"}
     if [ -O "$archive" ] && [ "$archive" -nt "$jar" ] && [ "$(bytes "$archive").jsa" = "$size" ]; then
       set -- "-XX:SharedArchiveFile=$archive" -XX:+VerifySharedSpaces $silent "$@"
     elif [ -z "$command" ] && [ -d "$data/native" ] && [ "$(df -Pk "$data" | awk 'END { print $4 }')" -gt 65536 ]; then
       (set +f && rm -f "$classes"*)
       set -- "-XX:ArchiveClassesAtExit=$classes.new" $silent "$@"
     fi ;;
esac
# shellcheck disable=SC2086
exec $nice "$java" -XX:-UsePerfData -XX:+UseSerialGC -Xms16m -Xmx256m -XX:+ExitOnOutOfMemoryError $options "$@"
