// Package barriertest tries the barrier on real databases. It is a module of its own, so that the
// library needs no driver.
package barriertest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	_ "modernc.org/sqlite"

	backstep "backstep.example/clients/go"
	"backstep.example/clients/go/backsteptest"
)

// server is a database that the barrier is tried on.
type server struct {
	name   string
	driver string
	// source returns the data source name, or "" where the database is not to be had.
	source func(t *testing.T) string
}

var servers = []server{
	{"SQLite", "sqlite", func(t *testing.T) string {
		return "file:" + filepath.Join(t.TempDir(), "x.db") + "?_pragma=busy_timeout(10000)"
	}},
	{"MariaDB", "mysql", mariaDB},
}

// mariaDB makes a database on the server of BARRIER_MYSQL, whose source name ends in a slash.
func mariaDB(t *testing.T) string {
	source := os.Getenv("BARRIER_MYSQL")
	if source == "" {
		return ""
	}
	db, err := sql.Open("mysql", source)
	must(t, err)
	_, err = db.Exec("CREATE DATABASE IF NOT EXISTS barrier_test")
	must(t, errors.Join(err, db.Close()))
	return source + "barrier_test"
}

// onEach runs a test on each database, in a table of accounts with a barrier.
func onEach(t *testing.T, run func(t *testing.T, b *bank)) {
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			source := s.source(t)
			if source == "" {
				t.Skip("BARRIER_MYSQL names no server")
			}
			db, err := sql.Open(s.driver, source)
			must(t, err)
			t.Cleanup(func() { _ = db.Close() })
			b := &bank{db, backstep.SQLBarrier(db)}
			for range 2 { // Prepare may be called with each start.
				must(t, b.barrier.Prepare(context.Background()))
			}
			for _, statement := range []string{
				"DROP TABLE IF EXISTS accounts",
				"CREATE TABLE accounts (name VARCHAR(50) PRIMARY KEY, cents BIGINT)",
				"INSERT INTO accounts VALUES ('ada', 100)",
				"DELETE FROM barrier",
			} {
				_, err := db.Exec(statement)
				must(t, err)
			}
			run(t, b)
		})
	}
}

// bank has effects in a database.
type bank struct {
	db      *sql.DB
	barrier *backstep.Barrier
}

type payment struct {
	Cents int `json:"cents"`
}

type paid struct {
	Account string `json:"account"`
	Paid    int    `json:"paid"`
}

func (b *bank) pay(ctx context.Context, p payment, s backstep.Step) (paid, error) {
	return backstep.Apply(ctx, b.barrier, s, func(tx *sql.Tx) (paid, error) {
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET cents = cents - ? WHERE name = 'ada'", p.Cents)
		return paid{"ada", p.Cents}, err
	})
}

func (b *bank) payBack(ctx context.Context, _ payment, s backstep.Step) error {
	return backstep.Revert(ctx, b.barrier, s, func(tx *sql.Tx, done paid) error {
		_, err := tx.ExecContext(ctx,
			"UPDATE accounts SET cents = cents + ? WHERE name = ?", done.Paid, done.Account)
		return err
	})
}

func (b *bank) cents(t *testing.T) int {
	t.Helper()
	var cents int
	must(t, b.db.QueryRow("SELECT cents FROM accounts WHERE name = 'ada'").Scan(&cents))
	return cents
}

func step(token int64) backstep.Step {
	return backstep.Step{TaskID: "task", Run: `pay/"ä"~2`, FencingToken: token}
}

var ctx = context.Background()

func TestACommandBehindTheBarrierKeepsTheUndoContract(t *testing.T) {
	onEach(t, func(t *testing.T, b *bank) {
		quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
		backsteptest.UndoContract(t, backsteptest.Contract{
			Worker: func(address string) *backstep.Worker {
				w := backstep.NewWorker(address, "bank", backstep.Logger(quiet))
				backstep.Command(w, "pay", b.pay)
				backstep.Undo(w, "pay_back", b.payBack)
				return w
			},
			Module: "bank", Command: "pay", Undo: "pay_back", Parameters: payment{30},
			World: func() any { return b.cents(t) },
		})
	})
}

func TestTwentyAttemptsAtATimeHaveOneEffect(t *testing.T) {
	onEach(t, func(t *testing.T, b *bank) {
		var all sync.WaitGroup
		for token := range 20 {
			all.Add(1)
			go func() {
				defer all.Done()
				output, err := b.pay(ctx, payment{30}, step(int64(token+1)))
				isRight := err == nil && output.Paid == 30
				if !isRight && !errors.Is(err, backstep.ErrStaleToken) {
					t.Errorf("got %+v, %v", output, err)
				}
			}()
		}
		all.Wait()
		if cents := b.cents(t); cents != 70 {
			t.Errorf("%d are left", cents)
		}
	})
}

func TestAnEffectThatFailsLeavesItsTokenAlone(t *testing.T) {
	onEach(t, func(t *testing.T, b *bank) {
		broken := errors.New("no money")
		_, err := backstep.Apply(ctx, b.barrier, step(5), func(tx *sql.Tx) (paid, error) {
			_, err := tx.Exec("UPDATE accounts SET cents = 0")
			must(t, err)
			return paid{}, broken
		})
		if !errors.Is(err, broken) || b.cents(t) != 100 {
			t.Errorf("got %v, and %d are left", err, b.cents(t))
		}
		if _, err := b.pay(ctx, payment{30}, step(4)); !errors.Is(err, backstep.ErrStaleToken) {
			t.Errorf("an older attempt: %v", err)
		}
		_, err = b.pay(ctx, payment{30}, step(5))
		must(t, err)
		must(t, b.payBack(ctx, payment{}, step(6)))
		if cents := b.cents(t); cents != 100 {
			t.Errorf("%d are left", cents)
		}
	})
}

func TestAnUndoBarsWhatComesAfterIt(t *testing.T) {
	onEach(t, func(t *testing.T, b *bank) {
		must(t, b.payBack(ctx, payment{}, step(7)))
		for _, token := range []int64{6, 8} {
			_, err := b.pay(ctx, payment{30}, step(token))
			if !errors.Is(err, backstep.ErrSuperseded) {
				t.Errorf("token %d: %v", token, err)
			}
		}
		if err := b.payBack(ctx, payment{}, step(6)); !errors.Is(err, backstep.ErrStaleToken) {
			t.Errorf("an older undo: %v", err)
		}
		if cents := b.cents(t); cents != 100 {
			t.Errorf("%d are left", cents)
		}
	})
}

func TestADatabaseThatIsAwayCostsNoAttempt(t *testing.T) {
	db, err := sql.Open("mysql", "nobody@tcp(127.0.0.1:1)/none")
	must(t, err)
	away := &bank{db, backstep.SQLBarrier(db)}
	var again *backstep.LookAgainError
	if _, err := away.pay(ctx, payment{30}, step(1)); !errors.As(err, &again) {
		t.Errorf("got %v", err)
	}
}

// TestTheTableIsThatOfTypeScript works on a file in which the barrier of TypeScript has applied
// the step "theirs", and leaves the step "ours" to it.
func TestTheTableIsThatOfTypeScript(t *testing.T) {
	file := os.Getenv("BARRIER_SHARED")
	if file == "" {
		t.Skip("BARRIER_SHARED names no file")
	}
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)")
	must(t, err)
	defer db.Close()
	barrier := backstep.SQLBarrier(db)
	must(t, barrier.Prepare(ctx))
	theirs := backstep.Step{TaskID: "shared", Run: "theirs", FencingToken: 2}
	undone := ""
	must(t, backstep.Revert(ctx, barrier, theirs, func(_ *sql.Tx, output paid) error {
		undone = fmt.Sprintf("%+v", output)
		return nil
	}))
	if undone != "{Account:ada Paid:30}" {
		t.Errorf("the undo was told %s", undone)
	}
	ours := backstep.Step{TaskID: "shared", Run: "ours", FencingToken: 3}
	_, err = backstep.Apply(ctx, barrier, ours, func(*sql.Tx) (paid, error) {
		return paid{"<eve>", 7}, nil
	})
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
