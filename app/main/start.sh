#!/bin/sh
# Stet. Behind these lines is the jar. The JVM's own choice of a heap follows the machine's memory, this one what Stet
# needs: the collector and the size are those that the JVM takes on a machine of 1 GiB. A process without memory ends, with
# exit code 3, to be started anew: it could go on without the thread that accepts connections. A JVM that keeps performance data
# changes into their folder, and stays there when its user may not read the folder that it was started in. A serve's threads of
# the lowest priority get a nice value of 10 and all others 0; the warning that is switched off says that only root can go below
# 0. JAVA_OPTS comes last, and so wins.
set -f # the words of JAVA_OPTS are no patterns of file names
case "$1" in
  account | activity | backup | check | compact | export | health | help | import | key | person | restore | template | token | usage | version) command=yes options=-XX:TieredStopAtLevel=1 ;;
  fixture) command= options=-XX:TieredStopAtLevel=1 ;;
  *) command=
     options="-XX:+UnlockDiagnosticVMOptions -XX:-PrintWarnings -XX:ThreadPriorityPolicy=1"
     options="$options -XX:JavaPriority1_To_OSPriority=10 -XX:JavaPriority9_To_OSPriority=0" ;;
esac
# Those that read the whole database are long, and compare it three times as fast with all compilers.
case "$1" in backup | check | restore) options= ;; esac
# What is long and only reads gives way to a serve beside it. What writes does not: the serve would wait for its locks.
case "$1" in backup | check | export) nice="nice -n 10" ;; *) nice= ;; esac
# The archive of classes in the data folder saves about a quarter of the time of a start. A serve makes it, and makes it anew
# when it does not fit this jar and this JVM, which passes over it then and is told to be silent. A part of one would crash the
# JVM, so its size is beside it. Another user's archive is not used: it is code.
data=${STET_DATA:-stet-data} before=
for word; do
  [ "$before" != --data ] || data=$word
  case "$word" in --data=*) data=${word#--data=} ;; esac
  before=$word
done
classes=$data/native/classes
# shellcheck disable=SC2086 # several words on purpose
set -- $JAVA_OPTS -jar "$0" "$@"
case "$classes" in
  *:*) ;; # the JVM would take it for two files
  *) [ "$command" ] || set -- "-Dstet.classes=$classes.jsa" "$@"
     # shellcheck disable=SC3067 # dash, ksh, BusyBox, bash and zsh have -O
     if [ -O "$classes.jsa" ] && [ -r "$classes.txt" ] && read -r size <"$classes.txt" && [ "$(wc -c <"$classes.jsa")" -eq "$size" ]; then
       set -- "-XX:SharedArchiveFile=$classes.jsa" -XX:+VerifySharedSpaces -Xlog:cds=off -Xlog:cds+dynamic=off "$@"
     fi 2>/dev/null ;;
esac
# shellcheck disable=SC2086
exec $nice "${JAVA:-java}" -XX:-UsePerfData -XX:+UseSerialGC -Xms16m -Xmx256m -XX:+ExitOnOutOfMemoryError $options "$@"
