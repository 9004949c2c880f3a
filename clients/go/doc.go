// Package backstep is a worker of Backstep in Go: a program that asks a gateway for the actions of
// its modules over HTTP, carries them out, and tells how they ended. It needs the standard library
// alone.
//
//	w := backstep.NewWorker("https://backstep.example", "mysql", backstep.Slots(8))
//	backstep.Command(w, "init_instance", initInstance)
//	backstep.Undo(w, "clean_instance", cleanInstance)
//
//	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//	defer stop()
//	if err := w.Run(ctx); err != nil {
//		log.Fatal(err)
//	}
//
// # What a worker can rely on
//
// An action is claimed before it begins, and its claim is renewed by heartbeats that need nothing
// from the command. If a worker dies, its actions are handed out again when their leases end. So a
// command may be called twice, late, or after its own undo, and four rules keep the net effect
// right:
//
//   - The same [Step].IdempotencyKey again has no second effect, and returns the same output.
//   - A FencingToken lower than the highest seen is refused.
//   - An undo without an effect does nothing, and succeeds.
//   - An effect after its undo is refused.
//
// Give IdempotencyKey to services that take one. For effects in a database, [SQLBarrier] keeps all
// four. Package backsteptest tries a command and its undo in each order in which they may be called.
//
// # How an attempt ends
//
// A command returns its output, or an error: [Terminal] fails the step for good, [Retry] says when
// to try again, [LookAgain] has the command called again without a cost, and [Later] leaves the
// outcome to another system. Any other error, and a panic, is tried again while the flow's retry
// lasts.
//
// The context of a command ends with the attempt's time. It also ends when the task no longer wants
// the action, when the claim is lost, or when the worker's [Grace] is over: then [context.Cause] is
// a [*Cancelled].
package backstep
