#!/bin/sh
# Starts Stet; the jar follows this script. The heap size and collector are those that the JVM chooses on a machine with 1 GiB,
# which is enough for Stet. A process that runs out of memory exits with 3 and should be restarted, because it might otherwise
# continue without the thread that accepts connections. Performance data is off: to write it, a JVM changes to another folder, and
# it stays there if its user cannot read the working folder. In serve, threads of the lowest priority get a nice value of 10 and
# all others 0; the suppressed warning says that only root can go below 0. Methods run five times as often as usual before they
# are compiled, which saves a quarter of the start-up CPU time. JAVA_OPTS comes last and so takes precedence.
set -f # words in JAVA_OPTS are not file name patterns
# Without a UTF-8 locale, as in cron jobs, Java cannot open files with other names. Programs started by Stet inherit this locale.
[ "$(locale charmap 2>/dev/null)" = UTF-8 ] || export LC_ALL=C.UTF-8
case "$1" in
  account | activity | backup | check | compact | diff | export | health | help | import | key | mail | preview | promote | pull | push | restore | rollback | status | template | token | types | usage | user | version) command=yes options=-XX:TieredStopAtLevel=1 ;;
  fixture) command=yes options=-XX:TieredStopAtLevel=1 ;;
  *) command=
     options="-XX:+UnlockDiagnosticVMOptions -XX:-PrintWarnings -XX:ThreadPriorityPolicy=1"
     options="$options -XX:JavaPriority1_To_OSPriority=10 -XX:JavaPriority9_To_OSPriority=0" ;;
esac
# Commands that read the whole database take long, and run three times as fast with all compilers.
case "$1" in backup | check | restore) options= ;; esac
# Long read-only commands run at low priority. Writing commands do not, because a serve would wait for their locks.
case "$1" in backup | check | export) nice="nice -n 10" ;; *) nice= ;; esac
# The class archive in the data folder saves about a quarter of the start-up time. On exit, serve or demo writes the archive if
# there is none for this JVM and jar. A truncated archive, as after a power failure, would crash the JVM, so the next start tests
# the archive and adds its size to its name. Another user's archive is not used because it is code.
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
  :* | *:*:*) ;; # the JVM would treat a colon as the end of the file name
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
exec $nice "$java" -XX:-UsePerfData -XX:+UseSerialGC -XX:CompileThresholdScaling=5 -Xms16m -Xmx256m -XX:+ExitOnOutOfMemoryError $options "$@"
