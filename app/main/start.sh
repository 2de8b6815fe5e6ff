#!/bin/sh
# Stet. Behind these lines is the jar. The JVM's own choice of a heap follows the machine's memory, this one what Stet
# needs: on less than 1,792 MiB both are the same. JAVA_OPTS comes last, and so wins.
exec "${JAVA:-java}" -XX:+UseSerialGC -Xms16m -Xmx256m $JAVA_OPTS -jar "$0" "$@"
