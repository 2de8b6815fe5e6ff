#!/bin/sh
# Stet. Behind these lines is the jar. The JVM's own choice of a heap follows the machine's memory, this one what Stet
# needs: the collector and the size are those that the JVM takes on a machine of 1 GiB. A process without memory ends, with
# exit code 3, to be started anew: it could go on without the thread that accepts connections. A command is short, and gives
# way to a serve beside it. A serve's threads of the lowest priority get a nice value of 10 and all others 0; the warning that
# is switched off says that only root can go below 0. JAVA_OPTS comes last, and so wins.
case "$1" in
  account | backup | export | help | import | key | restore | template | usage | version) command="nice -n 10" options=-XX:TieredStopAtLevel=1 ;;
  *) command=
     options="-XX:+UnlockDiagnosticVMOptions -XX:-PrintWarnings -XX:ThreadPriorityPolicy=1"
     options="$options -XX:JavaPriority1_To_OSPriority=10 -XX:JavaPriority9_To_OSPriority=0" ;;
esac
exec $command "${JAVA:-java}" -XX:+UseSerialGC -Xms16m -Xmx256m -XX:+ExitOnOutOfMemoryError $options $JAVA_OPTS -jar "$0" "$@"
