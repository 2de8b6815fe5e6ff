#!/bin/sh
# Builds the mails and pushes them. STET_SERVER and STET_TOKEN say where to; mails/templates has subjects and test data.
set -eu
npm install --ignore-scripts --no-audit --no-fund
npx mjml src/*.mjml -o mails/templates/
java -jar "${STET_JAR:-stet.jar}" push mails --publish
