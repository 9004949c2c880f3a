package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	backstep "backstep.example/clients/go"
)

// object is a JSON object.
type object = map[string]any

// journal is the folder where the driver reads what the commands did.
type journal struct{ folder string }

func (j journal) file() string { return filepath.Join(j.folder, "journal.jsonl") }

// write appends a line with one write.
func (j journal) write(event string, s backstep.Step, said object) error {
	line := object{
		"event": event, "command": s.Command, "taskId": s.TaskID, "step": s.Name, "run": s.Run,
		"direction": s.Direction, "attempt": s.Attempt, "idempotencyKey": s.IdempotencyKey,
		"forwardKey": nil, "fencingToken": s.FencingToken,
	}
	if s.ForwardKey != "" {
		line["forwardKey"] = s.ForwardKey
	}
	for name, value := range said {
		line[name] = value
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(j.file(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Close())
}

// starts is how often an action was started, this time included.
func (j journal) starts(s backstep.Step) (int, error) {
	text, err := os.ReadFile(j.file())
	count := 0
	for _, line := range bytes.Split(text, []byte("\n")) {
		var entry struct{ Event, IdempotencyKey string }
		isEntry := json.Unmarshal(line, &entry) == nil
		if isEntry && entry.Event == "started" && entry.IdempotencyKey == s.IdempotencyKey {
			count++
		}
	}
	return count, err
}

// wait returns once a gate is open, or ctx has ended.
func (j journal) wait(ctx context.Context, gate string) error {
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		if _, err := os.Stat(filepath.Join(j.folder, gate)); err == nil {
			return nil
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
