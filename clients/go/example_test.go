package backstep_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	backstep "backstep.example/clients/go"
)

type booking struct {
	Seat int `json:"seat"`
}

type ticket struct {
	Ticket string `json:"ticket"`
}

func Example() {
	w := backstep.NewWorker("http://127.0.0.1:7070", "theatre", backstep.Slots(8))
	backstep.Command(w, "reserve_seat",
		func(ctx context.Context, b booking, s backstep.Step) (ticket, error) {
			s.Log().Info("reserving", "seat", b.Seat)
			return ticket{fmt.Sprintf("T-%d", b.Seat)}, nil
		})
	backstep.Undo(w, "release_seat",
		func(ctx context.Context, b booking, s backstep.Step) error {
			reserved, isKnown := backstep.Forward[ticket](s)
			s.Log().Info("releasing", "seat", b.Seat, "ticket", reserved.Ticket, "known", isKnown)
			return nil
		})

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := w.Run(ctx); err != nil {
		log.Fatal(err)
	}
}

// A command is a function: a test calls it with the Step that it needs.
func ExampleStep() {
	charge := func(_ context.Context, b booking, s backstep.Step) (ticket, error) {
		if b.Seat > 100 {
			return ticket{}, backstep.Terminal(errors.New("there is no such seat"), "NO_SEAT")
		}
		return ticket{"T for " + s.IdempotencyKey}, nil
	}

	made, err := charge(context.Background(), booking{7}, backstep.Step{IdempotencyKey: "k"})
	fmt.Println(made.Ticket, err)
	_, err = charge(context.Background(), booking{101}, backstep.Step{})
	var terminal *backstep.TerminalError
	fmt.Println(errors.As(err, &terminal), terminal.Code)
	// Output:
	// T for k <nil>
	// true NO_SEAT
}

// Work that goes on elsewhere is begun once, and then looked at.
func ExampleLookAgain() {
	type machine struct{ state string }
	boot := func(key string) machine { return machine{"booting"} }

	run := func(ctx context.Context, b booking, s backstep.Step) (ticket, error) {
		if boot(s.IdempotencyKey).state == "booting" {
			return ticket{}, backstep.LookAgain(10 * time.Second)
		}
		return ticket{"T-1"}, nil
	}
	_, err := run(context.Background(), booking{}, backstep.Step{})
	fmt.Println(err)
	// Output: backstep: look again in 10s
}

func ExampleForward() {
	s := backstep.Step{Undoes: &backstep.ForwardResult{
		State: backstep.ForwardSucceeded, Output: []byte(`{"ticket": "T-7"}`),
	}}
	reserved, isKnown := backstep.Forward[ticket](s)
	fmt.Println(reserved.Ticket, isKnown)
	// Output: T-7 true
}

func ExampleSQLBarrier() {
	var db *sql.DB // opened with a driver
	barrier := backstep.SQLBarrier(db, backstep.InDialect(backstep.Postgres))
	w := backstep.NewWorker("http://127.0.0.1:7070", "wallet")
	type payment struct {
		Wallet string `json:"wallet"`
		Cents  int    `json:"cents"`
	}
	backstep.Command(w, "pay",
		func(ctx context.Context, p payment, s backstep.Step) (payment, error) {
			return backstep.Apply(ctx, barrier, s, func(tx *sql.Tx) (payment, error) {
				_, err := tx.ExecContext(ctx,
					"UPDATE wallets SET cents = cents - $1 WHERE name = $2", p.Cents, p.Wallet)
				return p, err
			})
		})
	backstep.Undo(w, "pay_back", func(ctx context.Context, _ payment, s backstep.Step) error {
		// It is called only where pay had its effect.
		return backstep.Revert(ctx, barrier, s, func(tx *sql.Tx, paid payment) error {
			_, err := tx.ExecContext(ctx,
				"UPDATE wallets SET cents = cents + $1 WHERE name = $2", paid.Cents, paid.Wallet)
			return err
		})
	})
}
