package backstep

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"
)

// Barrier keeps the effects of steps right where they are rows of a database: once for a step,
// refused to older attempts and after the rollback, and undone only where they happened. It keeps
// a mark for each run of a step in a table, in the transaction of the effect. The table is that of
// the barriers for TypeScript, so both may share a database.
type Barrier struct {
	db      *sql.DB
	dialect Dialect
	table   string
}

// BarrierOption is an option of SQLBarrier.
type BarrierOption func(*Barrier)

// InDialect says which language the database speaks, where its driver does not tell: one of
// github.com/mattn/go-sqlite3, modernc.org/sqlite, github.com/go-sql-driver/mysql,
// github.com/lib/pq, github.com/jackc/pgx and those like them do.
func InDialect(d Dialect) BarrierOption { return func(b *Barrier) { b.dialect = d } }

// InTable names the table of marks, perhaps with its schema: "marks.barrier". It becomes a part of
// statements as it is. Default: "barrier".
func InTable(name string) BarrierOption { return func(b *Barrier) { b.table = name } }

// SQLBarrier returns a barrier whose marks are in a table of db, and whose effects are rows of the
// same database. Prepare makes the table.
func SQLBarrier(db *sql.DB, options ...BarrierOption) *Barrier {
	b := &Barrier{db: db, dialect: dialectOf(db), table: "barrier"}
	for _, option := range options {
		option(b)
	}
	return b
}

// Prepare makes the table of marks where it is not there.
func (b *Barrier) Prepare(ctx context.Context) error {
	for _, statement := range b.schema() {
		if _, err := b.db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("the table of marks: %w", err)
		}
	}
	return nil
}

// Apply makes the effect of a step, in the transaction that also stores its mark. Where the effect
// happened before, it is not called, and Apply returns what it returned then. The error is
// ErrStaleToken or ErrSuperseded where this attempt has been overtaken: return it as it is.
//
// effect must neither commit nor roll back, and must do everything by its tx. While the database
// cannot be reached the error is a *LookAgainError, so that this costs the step no attempt.
func Apply[Out any](
	ctx context.Context, b *Barrier, s Step, effect func(tx *sql.Tx) (Out, error),
) (Out, error) {
	var output Out
	err := b.transact(ctx, func(tx *sql.Tx) error {
		found, err := b.lock(ctx, tx, s)
		if err != nil {
			return err
		}
		done, err := found.judgeForward(s)
		if err != nil || done {
			return errors.Join(err, found.read(&output))
		}
		if output, err = effect(tx); err != nil {
			return err
		}
		text, err := json.Marshal(output)
		if err != nil {
			return Terminal(err, invalidOutput)
		}
		return b.put(ctx, tx, s, stateApplied, text)
	})
	if err != nil && !errors.Is(err, ErrStaleToken) && !errors.Is(err, ErrSuperseded) {
		// The effect is gone with its transaction; its token still counts against older attempts.
		_ = b.see(context.WithoutCancel(ctx), s)
	}
	return output, err
}

// Revert undoes the effect of a step, in the transaction that also changes its mark. undo is called
// only where the effect happened and was not undone, with what the effect returned. Afterwards
// attempts that come late are refused.
func Revert[Out any](
	ctx context.Context, b *Barrier, s Step, undo func(tx *sql.Tx, output Out) error,
) error {
	return b.transact(ctx, func(tx *sql.Tx) error {
		found, err := b.lock(ctx, tx, s)
		if err != nil {
			return err
		}
		todo, err := found.judgeRollback(s)
		if err != nil || todo == undoNothing {
			return err
		}
		if err := b.put(ctx, tx, s, stateUndone, nil); err != nil || todo == undoBar {
			return err
		}
		var output Out
		if err := found.read(&output); err != nil {
			return err
		}
		return undo(tx, output)
	})
}

// awayPause is when a step is looked at again whose database cannot be reached.
const awayPause = 2 * time.Second

func (b *Barrier) transact(ctx context.Context, change func(tx *sql.Tx) error) (err error) {
	if b.dialect == "" {
		return errors.New("backstep: the dialect of this database is not known: use InDialect")
	}
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return orAway(ctx, err, true)
	}
	defer func() { _ = tx.Rollback() }()
	if err := change(tx); err != nil {
		return orAway(ctx, err, false)
	}
	return orAway(ctx, tx.Commit(), false)
}

// orAway tells a database that cannot be reached, which is no failure of the step, from others.
func orAway(ctx context.Context, err error, isBegin bool) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var broken net.Error
	isAway := isBegin || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.As(err, &broken)
	var known *TerminalError
	if !isAway || errors.As(err, &known) {
		return err
	}
	return &LookAgainError{After: awayPause, Err: fmt.Errorf("the database is away: %w", err)}
}

// The states of a mark.
const (
	stateOpen    = "open"
	stateApplied = "applied"
	stateUndoing = "undoing"
	stateUndone  = "undone"
)

// found is the mark of a run of a step, as the transaction has locked it. Where there was none, it
// is open with the token of this attempt, which decides the same.
type found struct {
	token  int64
	state  string
	output sql.NullString
}

func (f found) read(output any) error {
	if !f.output.Valid {
		return nil
	}
	return json.Unmarshal([]byte(f.output.String), output)
}

// judgeForward says whether the effect is there already, or refuses the attempt.
func (f found) judgeForward(s Step) (done bool, err error) {
	switch {
	case f.state == stateUndone || f.state == stateUndoing:
		return false, fmt.Errorf("%w: step %s of task %s", ErrSuperseded, s.Run, s.TaskID)
	case s.FencingToken < f.token:
		return false, staleToken(s, f.token)
	default:
		return f.state == stateApplied, nil
	}
}

// What there is to do for a rollback.
type undoing int

const (
	undoNothing undoing = iota
	undoBar             // there was no effect: only bar a late one
	undoEffect
)

func (f found) judgeRollback(s Step) (undoing, error) {
	switch {
	case s.FencingToken < f.token:
		return undoNothing, staleToken(s, f.token)
	case f.state == stateUndone:
		return undoNothing, nil
	case f.state == stateOpen:
		// No attempt, or one that left nothing: its transaction never was.
		return undoBar, nil
	default:
		return undoEffect, nil
	}
}

func staleToken(s Step, seen int64) error {
	return fmt.Errorf("%w: fencing token %d is older than %d", ErrStaleToken, s.FencingToken, seen)
}

// lock makes sure of a mark and locks it until the transaction ends.
func (b *Barrier) lock(ctx context.Context, tx *sql.Tx, s Step) (found, error) {
	var f found
	values := append(b.identity(s), s.FencingToken, stateOpen, nil, time.Now().UnixMilli())
	if _, err := tx.ExecContext(ctx, b.insertMark(), values...); err != nil {
		return f, err
	}
	row := tx.QueryRowContext(ctx, b.selectMark(), b.key(s)...)
	return f, row.Scan(&f.token, &f.state, &f.output)
}

// put changes a mark that is locked. Its token never falls, and an output that is nil stays.
func (b *Barrier) put(ctx context.Context, tx *sql.Tx, s Step, state string, output []byte) error {
	kept := sql.NullString{String: string(output), Valid: output != nil && string(output) != "null"}
	values := []any{s.FencingToken, s.FencingToken, state, kept, time.Now().UnixMilli()}
	_, err := tx.ExecContext(ctx, b.updateMark(), append(values, b.key(s)...)...)
	return err
}

// see remembers that an attempt with this token was here.
func (b *Barrier) see(ctx context.Context, s Step) error {
	ctx, cancel := context.WithTimeout(ctx, socketReserve)
	defer cancel()
	return b.transact(ctx, func(tx *sql.Tx) error {
		f, err := b.lock(ctx, tx, s)
		if err != nil || f.token >= s.FencingToken {
			return err
		}
		_, err = tx.ExecContext(ctx, b.raiseToken(), append([]any{s.FencingToken}, b.key(s)...)...)
		return err
	})
}
