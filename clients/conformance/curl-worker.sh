#!/bin/sh
# A worker of curl, jq and a shell: one action at a time, carried out by program.sh.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
export CONFORMANCE_WORKER_PID=$$
worker="$(uname -n | tr -c 'A-Za-z0-9.\n-' -)/$$/$(date +%s)"
lease=${CONFORMANCE_LEASE:-30s}
draining=
busy=

# SIGTERM ends the poll that waits; work that has begun goes on.
trap 'draining=1; [ -n "$busy" ] || kill "${asking:-}" 2> /dev/null || :' TERM INT
trap 'rm -rf "$work"' EXIT

{
  echo 'header = "content-type: application/json"'
  echo 'header = "backstep-worker-protocol: 1"'
  [ -z "${BACKSTEP_TOKEN-}" ] || echo "header = \"authorization: Bearer $BACKSTEP_TOKEN\""
} > "$work/curlrc"

# ask <name> <method> <path> <seconds>: sends $work/<name>.body; the answer is in <name>.answer, its
# status in $status, 000 where nobody answered.
ask() {
  curl -s -K "$work/curlrc" -m "$4" -X "$2" --data-binary "@$work/$1.body" \
    -D "$work/$1.headers" -o "$work/$1.answer" -w '%{http_code}' "$BACKSTEP_URL$3" \
    > "$work/$1.status" &
  asking=$!
  wait "$asking" || wait "$asking" || :
  asking=
  status=$(cat "$work/$1.status")
}

# Waits before the same request is sent again; fails where the answer is a decision.
must_repeat() {
  case $status in
    429 | 503)
      seconds=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$work/$1.headers")
      sleep "${seconds:-1}"
      ;;
    401 | 403) echo "the gateway answered $status" >&2; sleep 30 ;;
    '' | 000 | 5*) sleep 0.3 ;;
    *) return 1 ;;
  esac
}

register() {
  jq -n --arg serves "$CONFORMANCE_MODULE" '{slots: 1, sdk: "curl", modules: {($serves): (
    ["give", "undo", "fail", "flaky", "again", "later", "slow", "wait", "deaf", "crash", "typed",
      "say", "progress", "use_secret", "bulk", "results"] | map({(.): {}}) | add
    + {secret: {secrets: ["password"]}, declared: {output: {required: ["host"],
      properties: {host: {type: "string"}}, additionalProperties: false}}})}}' > "$work/worker.body"
  while ask worker PUT "/v1/workers/$(printf '%s' "$worker" | sed 's,/,%2F,g')" 30; must_repeat worker; do :; done
}

# A poll; one without an answer is sent again with its id, and gives the same items then.
poll() {
  jq -n --arg worker "$worker" --arg serves "$CONFORMANCE_MODULE" --arg lease "$lease" \
    --arg id "$(cat /proc/sys/kernel/random/uuid)" \
    '{$worker, module: $serves, max: 1, wait: "20s", $lease, pollId: $id}' > "$work/poll.body"
  while ask poll POST /v1/work:poll 30; [ -z "$draining" ] && must_repeat poll; do :; done
  [ "$status" = 200 ] && jq -e '.items[0]' "$work/poll.answer" > "$work/item"
}

# Tells that the work goes on; its words are sent along. Prints the state of the claim.
heartbeat() {
  jq -n --arg worker "$worker" --slurpfile item "$work/item" --slurpfile progress "$work/progress" \
    '{$worker, claims: [{claim: $item[0].claim}
      + if $progress == [] then {} else {progress: $progress[-1]} end]}' > "$work/beat.body"
  ask beat POST /v1/work:heartbeat 5
  [ "$status" = 200 ] && jq -r '.claims[0].state' "$work/beat.answer" || echo unknown
}

# Heartbeats while the program runs and this worker lives. A cancel ends the program.
keep() {
  while kill -0 "$1" 2> /dev/null && kill -0 "$CONFORMANCE_WORKER_PID" 2> /dev/null; do
    case $(heartbeat) in
      cancelled | lost | ended) kill -TERM "$1" 2> /dev/null || : ;;
    esac
    sleep 1
  done
}

# The variables that program.sh wants to know.
variables() {
  jq -r '@sh "export BACKSTEP_TASK_ID=\(.taskId) BACKSTEP_STEP=\(.step) BACKSTEP_RUN=\(.run)
    export BACKSTEP_COMMAND=\(.command) BACKSTEP_DIRECTION=\(.direction) BACKSTEP_ATTEMPT=\(.attempt)
    export BACKSTEP_IDEMPOTENCY_KEY=\(.idempotencyKey) BACKSTEP_FORWARD_KEY=\(.forwardKey)
    export BACKSTEP_FENCING_TOKEN=\(.fencingToken) BACKSTEP_FORWARD_STATE=\(.forward.state // "")
    export CONFORMANCE_FORWARD_OUTPUT=\(.forward.output | tojson)
    export CONFORMANCE_COMPLETION_TOKEN=\(.completionToken)
    export CONFORMANCE_RESULTS=\({results, labels} | tojson)"' "$work/item"
}

carry_out() {
  : > "$work/progress"
  rm -f "$work/outcome"
  if jq -e .confirm "$work/item" > /dev/null; then
    until [ "$(heartbeat)" = held ]; do sleep 0.3; done
  fi
  eval "$(variables)"
  export CONFORMANCE_OUTCOME="$work/outcome" CONFORMANCE_PROGRESS="$work/progress"
  jq -c .parameters "$work/item" | sh "$here/program.sh" > "$work/output" 2> "$work/log" &
  program=$!
  keep "$program" &
  keeper=$!
  code=0
  until wait "$program"; code=$?; ! kill -0 "$program" 2> /dev/null; do :; done
  kill "$keeper" 2> /dev/null || :
  report "$code"
}

# The outcome: what program.sh has written, or what its exit code says. It is told until it is heard.
report() {
  if [ ! -s "$work/outcome" ]; then
    case $1 in
      0) jq -cs '{kind: "complete", output: .[-1]}' "$work/output" ;;
      75) jq -n '{kind: "fail", retryable: true, message: "exit code 75"}' ;;
      *) jq -n --arg code "$1" '{kind: "fail", retryable: false, message: "exit code \($code)"}' ;;
    esac > "$work/outcome"
  fi
  kind=$(jq -r .kind "$work/outcome")
  jq --rawfile log "$work/log" 'del(.kind) + {log: ($log | split("\n") | map(select(. != "")))}' \
    "$work/outcome" > "$work/told.body"
  claim=$(jq -r '.claim | @uri' "$work/item")
  while ask told POST "/v1/work/$claim:$kind" 30; must_repeat told; do :; done
}

register
while [ -z "$draining" ]; do
  poll || continue
  busy=1
  carry_out
  busy=
done
ask worker DELETE "/v1/workers/$(printf '%s' "$worker" | sed 's,/,%2F,g')" 5
