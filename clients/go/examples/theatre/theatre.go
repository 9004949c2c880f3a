package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	backstep "backstep.example/clients/go"
)

// theatre keeps its seats in a folder: a taken seat is a file with the key of its reservation.
type theatre struct{ folder string }

type booking struct {
	Seat int `json:"seat"`
}

type ticket struct {
	Ticket string `json:"ticket"`
}

// reserve takes a seat once for a key, and not after release has been there for this key.
func (t theatre) reserve(_ context.Context, b booking, s backstep.Step) (ticket, error) {
	holder, err := t.take(b.Seat, s.IdempotencyKey)
	if err != nil {
		return ticket{}, err
	}
	if holder != s.IdempotencyKey {
		return ticket{}, backstep.Terminal(fmt.Errorf("seat %d is taken", b.Seat), "SEAT_TAKEN")
	}
	// Looked for after the seat was taken, for release leaves this before it looks at the seat.
	if _, err := os.Stat(t.released(s.IdempotencyKey)); err == nil {
		err = t.free(b.Seat, s.IdempotencyKey)
		return ticket{}, errors.Join(backstep.Terminal(backstep.ErrSuperseded, ""), err)
	}
	s.Log().Info("reserved", "seat", b.Seat)
	return ticket{fmt.Sprintf("T-%d", b.Seat)}, nil
}

// release undoes reserve, also when that never happened or nobody knows whether it did.
func (t theatre) release(_ context.Context, b booking, s backstep.Step) error {
	if err := os.WriteFile(t.released(s.ForwardKey), nil, 0o600); err != nil {
		return err
	}
	return t.free(b.Seat, s.ForwardKey)
}

// charge refuses a card that was stolen.
func (t theatre) charge(_ context.Context, p payment, _ backstep.Step) (receipt, error) {
	if p.Card == "stolen" {
		return receipt{}, backstep.Terminal(errors.New("the card was refused"), "CARD_REFUSED")
	}
	return receipt{fmt.Sprintf("R-%d", p.Seat)}, nil
}

type payment struct {
	Seat int    `json:"seat"`
	Card string `json:"card"`
}

type receipt struct {
	Receipt string `json:"receipt"`
}

// take writes a key to a seat that is free, and returns the key that is there.
func (t theatre) take(seat int, key string) (holder string, err error) {
	written, err := os.CreateTemp(t.folder, ".new-")
	if err != nil {
		return "", err
	}
	defer os.Remove(written.Name())
	_, err = written.WriteString(key)
	if err := errors.Join(err, written.Close()); err != nil {
		return "", err
	}
	// Whole or not at all, and only where there is nothing.
	err = os.Link(written.Name(), t.seat(seat))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	content, err := os.ReadFile(t.seat(seat))
	return string(content), err
}

// free frees a seat that has this key.
func (t theatre) free(seat int, key string) error {
	content, err := os.ReadFile(t.seat(seat))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case string(content) != key:
		return nil
	default:
		return os.Remove(t.seat(seat))
	}
}

func (t theatre) seat(number int) string {
	return filepath.Join(t.folder, fmt.Sprintf("seat-%d", number))
}

func (t theatre) released(key string) string {
	return filepath.Join(t.folder, "released-"+url.PathEscape(key))
}
