// Command theatre is a worker that reserves seats in a folder.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	backstep "backstep.example/clients/go"
)

func main() {
	t := theatre{folder: "seats"}
	if err := os.MkdirAll(t.folder, 0o755); err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newWorker(os.Getenv("BACKSTEP_URL"), t).Run(ctx); err != nil {
		log.Fatal(err)
	}
}

func newWorker(address string, t theatre) *backstep.Worker {
	w := backstep.NewWorker(address, "box-office", backstep.Slots(8))
	backstep.Command(w, "reserve_seat", t.reserve)
	backstep.Undo(w, "release_seat", t.release)
	backstep.Command(w, "charge_card", t.charge)
	return w
}
