package main

import (
	"path/filepath"
	"testing"

	backstep "backstep.example/clients/go"
	"backstep.example/clients/go/backsteptest"
)

func TestASeatIsReservedOnceAndReleased(t *testing.T) {
	hall := theatre{t.TempDir()}
	backsteptest.UndoContract(t, backsteptest.Contract{
		Worker: func(address string) *backstep.Worker { return newWorker(address, hall) },
		Module: "box-office", Command: "reserve_seat", Undo: "release_seat",
		Parameters: booking{Seat: 12},
		World: func() any {
			seats, _ := filepath.Glob(filepath.Join(hall.folder, "seat-*"))
			return seats
		},
	})
}

func TestASeatThatIsTakenIsRefused(t *testing.T) {
	g := backsteptest.New(t)
	backsteptest.RunWorker(t, newWorker(g.URL, theatre{t.TempDir()}))
	book := backsteptest.Action{
		Module: "box-office", Command: "reserve_seat", Parameters: booking{Seat: 12},
	}
	if got := g.Do(book); string(got.Output) != `{"ticket":"T-12"}` {
		t.Errorf("got %+v", got)
	}
	if got := g.Do(book); got.Code != "SEAT_TAKEN" || got.Retryable {
		t.Errorf("got %+v", got)
	}
}
