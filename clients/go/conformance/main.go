// Command conformance is the worker that the cases of clients/conformance are played with.
package main

import (
	"context"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	backstep "backstep.example/clients/go"
)

func main() {
	slots, err := strconv.Atoi(orElse(os.Getenv("CONFORMANCE_SLOTS"), "4"))
	if err != nil {
		log.Fatal("CONFORMANCE_SLOTS is no number")
	}
	lease, err := time.ParseDuration(orElse(os.Getenv("CONFORMANCE_LEASE"), "10s"))
	if err != nil {
		log.Fatal("CONFORMANCE_LEASE is no duration")
	}
	w := backstep.NewWorker(os.Getenv("BACKSTEP_URL"), os.Getenv("CONFORMANCE_MODULE"),
		backstep.Slots(slots), backstep.Lease(lease), backstep.Logger(slog.Default()))
	addCommands(w, journal{os.Getenv("CONFORMANCE_DIR")})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := w.Run(ctx); err != nil {
		log.Fatal(err)
	}
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
