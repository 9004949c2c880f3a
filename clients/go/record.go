package backstep

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Bounds of what the gateway keeps of an attempt.
const (
	logBytes      = 64 << 10
	lineOverhead  = 32
	progressRunes = 500
	stateBytes    = 64
	// secretBytes is the length from which the value of a secret is masked.
	secretBytes = 8
	mask        = "***"
)

// attemptRecord gathers what an attempt says until the gateway has it: lines and progress.
type attemptRecord struct {
	logger *slog.Logger
	secret *strings.Replacer

	mu       sync.Mutex
	lines    []line
	bytes    int
	dropped  int
	progress *progress
	text     bytes.Buffer
}

// line is a line of the log that no answer has acknowledged yet.
type line struct {
	at    time.Time
	level slog.Level
	text  string
}

// size is what the line counts for of the bytes that are kept.
func (l line) size() int { return len(l.text) + lineOverhead }

func newRecord(i *item, named []string, log *slog.Logger) *attemptRecord {
	r := &attemptRecord{secret: maskOf(i.Parameters, named)}
	attrs := slog.NewTextHandler(&r.text, &slog.HandlerOptions{
		Level: slog.Level(-1 << 10), ReplaceAttr: withoutHead,
	})
	own := log.Handler().WithAttrs([]slog.Attr{
		slog.String("task", i.TaskID), slog.String("run", i.Run),
		slog.String("direction", string(i.Direction)), slog.Int("attempt", i.Attempt),
	})
	r.logger = slog.New(recorder{record: r, attrs: attrs, own: own})
	return r
}

func (r *attemptRecord) add(level slog.Level, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text = cutText(text, logBytes-lineOverhead)
	added := line{time.Now(), level, text}
	r.lines = append(r.lines, added)
	r.bytes += added.size()
	r.bound()
}

// bound drops the oldest lines that are above what the gateway keeps.
func (r *attemptRecord) bound() {
	for r.bytes > logBytes {
		r.bytes -= r.lines[0].size()
		r.lines = r.lines[1:]
		r.dropped++
	}
}

func (r *attemptRecord) setProgress(percent float64, message, state string) {
	if percent != percent { // NaN, which JSON cannot write
		percent = 0
	}
	percent = min(max(percent, 0), 100)
	message = strings.ToValidUTF8(message, "\uFFFD")
	if utf8.RuneCountInString(message) > progressRunes {
		message = string([]rune(message)[:progressRunes-1]) + "…"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = &progress{
		State:   stateName(r.secret.Replace(state)),
		Percent: &percent,
		Message: r.secret.Replace(message),
	}
}

// stateName makes a text a state that the gateway takes.
func stateName(text string) string {
	fits := func(char rune) rune {
		switch {
		case char >= 'A' && char <= 'Z', char >= 'a' && char <= 'z', char >= '0' && char <= '9',
			char == '.', char == '_', char == '-':
			return char
		}
		return '_'
	}
	name := strings.Map(fits, text)
	return name[:min(len(name), stateBytes)]
}

// said is what an attempt has said since the last request that was answered.
type said struct {
	lines    []line
	dropped  int
	progress *progress
	// bytes is the size of the lines.
	bytes int
}

// take hands over what is to be sent: the progress, and the oldest lines of up to so many bytes.
// Give it back if no answer comes.
func (r *attemptRecord) take(most int) said {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, size := 0, 0
	for n < len(r.lines) && size+r.lines[n].size() <= most {
		size += r.lines[n].size()
		n++
	}
	taken := said{r.lines[:n:n], r.dropped, r.progress, size}
	r.lines, r.dropped, r.progress = r.lines[n:], 0, nil
	r.bytes -= size
	return taken
}

func (r *attemptRecord) giveBack(taken said) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(taken.lines[:len(taken.lines):len(taken.lines)], r.lines...)
	r.bytes = 0
	for _, l := range r.lines {
		r.bytes += l.size()
	}
	r.dropped += taken.dropped
	if r.progress == nil {
		r.progress = taken.progress
	}
	r.bound()
}

// wire writes lines for a request that is sent now.
func (s said) wire() []logLine {
	lines := make([]logLine, len(s.lines))
	for index, l := range s.lines {
		ago := max(time.Since(l.at).Milliseconds(), 0)
		lines[index] = logLine{Level: levelName(l.level), Message: l.text, AgoMs: ago}
	}
	return lines
}

func levelName(level slog.Level) string {
	switch {
	case level < slog.LevelInfo:
		return "debug"
	case level < slog.LevelWarn:
		return "info"
	case level < slog.LevelError:
		return "warn"
	default:
		return "error"
	}
}

// recorder is the handler of Step.Log: each line goes into the record and to the worker's log.
type recorder struct {
	record *attemptRecord
	attrs  slog.Handler
	own    slog.Handler
}

func (h recorder) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.own.Enabled(ctx, level)
}

func (h recorder) Handle(ctx context.Context, r slog.Record) error {
	text := h.record.secret.Replace(h.text(ctx, r))
	h.record.add(r.Level, text)
	if !h.own.Enabled(ctx, r.Level) {
		return nil
	}
	return h.own.Handle(ctx, slog.NewRecord(r.Time, r.Level, text, r.PC))
}

func (h recorder) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.attrs = h.attrs.WithAttrs(attrs)
	return h
}

func (h recorder) WithGroup(name string) slog.Handler {
	h.attrs = h.attrs.WithGroup(name)
	return h
}

// text writes the message, and what belongs to it as key=value.
func (h recorder) text(ctx context.Context, r slog.Record) string {
	h.record.mu.Lock()
	defer h.record.mu.Unlock()
	h.record.text.Reset()
	_ = h.attrs.Handle(ctx, r)
	return strings.TrimSpace(r.Message + " " + h.record.text.String())
}

func withoutHead(groups []string, attr slog.Attr) slog.Attr {
	isHead := attr.Key == slog.TimeKey || attr.Key == slog.LevelKey || attr.Key == slog.MessageKey
	if len(groups) == 0 && isHead {
		return slog.Attr{}
	}
	return attr
}

// maskOf replaces the texts within the named members of the parameters.
func maskOf(parameters json.RawMessage, named []string) *strings.Replacer {
	var members map[string]any
	_ = json.Unmarshal(parameters, &members)
	var pairs []string
	for _, name := range named {
		for _, text := range textsIn(members[name]) {
			if len(text) >= secretBytes {
				pairs = append(pairs, text, mask)
			}
		}
	}
	return strings.NewReplacer(pairs...)
}

func textsIn(value any) []string {
	var texts []string
	switch value := value.(type) {
	case string:
		texts = append(texts, value)
	case []any:
		for _, part := range value {
			texts = append(texts, textsIn(part)...)
		}
	case map[string]any:
		for _, part := range value {
			texts = append(texts, textsIn(part)...)
		}
	}
	return texts
}

// discard is the handler of the log of a Step that no worker has made.
type discard struct{}

func (discard) Enabled(context.Context, slog.Level) bool  { return false }
func (discard) Handle(context.Context, slog.Record) error { return nil }
func (d discard) WithAttrs([]slog.Attr) slog.Handler      { return d }
func (d discard) WithGroup(string) slog.Handler           { return d }
