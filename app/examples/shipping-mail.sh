#!/bin/sh
set -eu

work=$(mktemp -d)
java -jar "${JAR:-target/stet.jar}" fixture app/examples/stet --port-file "$work/port" > "$work/out" &
stet=$!
trap 'kill "$stet"; wait "$stet" || true; rm -r "$work"' EXIT

tries=0
until [ -f "$work/port" ]; do
  kill -0 "$stet"
  tries=$((tries + 1))
  [ "$tries" -lt 300 ]
  sleep 0.1
done
url="http://127.0.0.1:$(cat "$work/port")"

control() { # METHOD PATH [JSON]
  curl -sS -f -X "$1" "$url/_fixture$2" -d "${3:-}"
}

# Represents the app under test, which is configured with the base URL and the key.
mail() {
  curl -sS -w ' %{http_code}' -H 'Authorization: Bearer stet-test-key' "$url/api/v1/templates/shipped?format=html" \
    | sed -e 's/{{name}}/Ada/' -e 's/{{order}}/7/'
}

expect() { # WHAT IS
  if [ "$2" != "$1" ]; then
    echo "expected: $1, but was: $2" >&2
    exit 1
  fi
}

hello='<p>Hello Ada, your order 7 is on its way.</p>
 200'
expect "$hello" "$(mail)"

control POST /reset
control POST /faults '{"status": 500, "times": 1}' > "$work/faults"
expect '{"error":"Internal server error"} 500' "$(mail)"
expect "$hello" "$(mail)"

control POST /reset
control PATCH /accounts/shop@example.com '{"used": 100}' > "$work/account"
expect 'Plan limit exceeded 429' "$(mail)"
control POST /clock/advance '{"by": "P30D"}' > "$work/clock"
expect "$hello" "$(mail)"

echo ok
