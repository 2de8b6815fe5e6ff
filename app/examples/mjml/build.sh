#!/bin/sh
# Builds the emails and pushes them to STET_SERVER with STET_TOKEN. The subjects and test data are in mails/templates.
set -eu
npm install --ignore-scripts --no-audit --no-fund
npx mjml src/*.mjml -o mails/templates/
java -jar "${STET_JAR:-stet.jar}" push mails --publish
