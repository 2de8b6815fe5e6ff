#!/bin/sh
# Stet. Behind these lines is the jar. The JVM's own choice of a heap follows the machine's memory, this one what Stet
# needs: the collector and the size are those that the JVM takes on a machine of 1 GiB. A process without memory ends, with
# exit code 3, to be started anew: it could go on without the thread that accepts connections. A command is short, and gives
# way to a serve beside it. JAVA_OPTS comes last, and so wins.
case "$1" in
  account | export | help | import | key | template | usage | version) command="nice -n 10" options=-XX:TieredStopAtLevel=1 ;;
  *) command= options= ;;
esac
exec $command "${JAVA:-java}" -XX:+UseSerialGC -Xms16m -Xmx256m -XX:+ExitOnOutOfMemoryError $options $JAVA_OPTS -jar "$0" "$@"
