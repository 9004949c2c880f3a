#!/bin/sh
# The commands of the cases as a program: one process for each action, as `backstep worker` runs it.
# Parameters are on standard input, the output is the last line of standard output. A worker that
# can tell more than an exit code names a file in CONFORMANCE_OUTCOME, for an outcome in JSON.
set -eu

parameters=$(cat)
journal=$CONFORMANCE_DIR/journal.jsonl

# parameter <name>: its value as text.
parameter() {
  printf '%s' "$parameters" | jq -r --arg name "$1" '.[$name]'
}

# write <event> [<further members>]: a line of the journal, in one write.
write() {
  none='{}'
  line=$(jq -nc --arg event "$1" --argjson more "${2:-$none}" '
    env as $e | $e.BACKSTEP_DIRECTION as $direction | {
      $event, command: $e.BACKSTEP_COMMAND, taskId: $e.BACKSTEP_TASK_ID, step: $e.BACKSTEP_STEP,
      run: $e.BACKSTEP_RUN, $direction, attempt: ($e.BACKSTEP_ATTEMPT | tonumber),
      idempotencyKey: $e.BACKSTEP_IDEMPOTENCY_KEY,
      forwardKey: (if $direction == "rollback" then $e.BACKSTEP_FORWARD_KEY else null end),
      fencingToken: ($e.BACKSTEP_FENCING_TOKEN | tonumber)
    } + $more')
  printf '%s\n' "$line" >> "$journal"
}

# How often this action was started.
starts() {
  jq -n --arg key "$BACKSTEP_IDEMPOTENCY_KEY" '
    [inputs | select(.event == "started" and .idempotencyKey == $key)] | length' "$journal"
}

# outcome <jq filter of the parameters>: for a worker that can tell it.
outcome() {
  printf '%s' "$parameters" | jq -c "$1" > "$CONFORMANCE_OUTCOME"
}

# leave <exit code>
leave() {
  write ended
  exit "$1"
}

# Fails with the message of the parameters, as their kind says.
fail() {
  parameter message >&2
  if [ -n "${CONFORMANCE_OUTCOME-}" ]; then
    outcome '{kind: "fail", message: (.message // "not yet"), retryable: (.kind != "terminal")}
      + with_entries(select(.key == "code" or .key == "after"))'
  fi
  [ "$1" = terminal ] && leave 1
  leave 75
}

# Ends with the worker, without a word.
follow_worker() {
  kill -0 "$CONFORMANCE_WORKER_PID" 2> /dev/null || exit 1
}

# Until the file is there that the parameters name; a cancel ends the program.
wait_for_gate() {
  trap 'follow_worker; write cancelled "{\"reason\":null}"; exit 1' TERM
  gate=$CONFORMANCE_DIR/$(parameter gate)
  while follow_worker; [ ! -e "$gate" ]; do sleep 0.05; done
  printf '%s' "$parameters" | jq -c '{gate}'
}

if [ "$BACKSTEP_COMMAND" = typed ] && ! printf '%s' "$parameters" | jq -e '.cpu | numbers' > /dev/null; then
  outcome '{kind: "fail", retryable: false, code: "INVALID_PARAMETERS", message: "cpu is a number"}'
  exit 1
fi
write started

case $BACKSTEP_COMMAND in
  give | declared) printf '%s' "$parameters" | jq -c .output ;;
  undo)
    write undone "$(jq -nc '{
      forwardState: env.BACKSTEP_FORWARD_STATE,
      forwardOutput: ((env.CONFORMANCE_FORWARD_OUTPUT // "null") | fromjson)}')"
    exit
    ;;
  fail) fail "$(parameter kind)" ;;
  flaky)
    [ "$BACKSTEP_ATTEMPT" -gt "$(parameter failures)" ] || fail retryable
    printf '{"attempt":%s}\n' "$BACKSTEP_ATTEMPT"
    ;;
  again)
    calls=$(starts)
    if [ "$calls" -gt "$(parameter times)" ]; then
      printf '{"calls":%s}\n' "$calls"
    else
      outcome '{kind: "again", after}'
    fi
    ;;
  later)
    write token "{\"completionToken\":\"$CONFORMANCE_COMPLETION_TOKEN\"}"
    outcome '{kind: "later", timeout}'
    ;;
  slow)
    sleep "$(printf '%s' "$parameters" | jq '.ms / 1000')"
    printf '%s' "$parameters" | jq -c '{ms}'
    ;;
  wait) wait_for_gate ;;
  deaf)
    trap '' TERM
    while follow_worker; [ ! -e "$CONFORMANCE_DIR/$(parameter gate)" ]; do sleep 0.05; done
    ;;
  crash)
    if [ "$(starts)" -le "$(parameter times)" ]; then
      kill -KILL "$CONFORMANCE_WORKER_PID"
      exit 1
    fi
    printf '{"starts":%s}\n' "$(starts)"
    ;;
  typed) printf '%s' "$parameters" | jq -c '{cpu, memory: (.memory // 4)}' ;;
  say) printf '%s' "$parameters" | jq -r '.lines[]' >&2 ;;
  progress)
    printf '%s' "$parameters" | jq -c '{percent, message, state}' > "$CONFORMANCE_PROGRESS"
    wait_for_gate
    ;;
  secret) echo '{"user":"admin","password":"correct-horse-battery"}' ;;
  use_secret)
    password=$(parameter password)
    echo "the password is $password" >&2
    printf '{"length":%s}\n' "${#password}"
    ;;
  bulk)
    printf '{"text":"%s"}\n' "$(head -c "$(parameter bytes)" /dev/zero | tr '\0' x)"
    ;;
  results) printf '%s\n' "$CONFORMANCE_RESULTS" ;;
esac
write ended
