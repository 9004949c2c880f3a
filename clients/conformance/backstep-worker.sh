#!/bin/sh
# `backstep worker`, which carries out the commands of the cases by program.sh.
here=$(cd "$(dirname "$0")" && pwd)
export CONFORMANCE_WORKER_PID=$$
for command in give undo fail flaky slow wait deaf crash typed say secret use_secret bulk; do
  set -- "$@" --command "$command"
done
exec node "$here/../../bin/backstep.mjs" worker --module "$CONFORMANCE_MODULE" \
  --slots "$CONFORMANCE_SLOTS" --lease "$CONFORMANCE_LEASE" --secret password "$@" \
  -- sh "$here/program.sh"
