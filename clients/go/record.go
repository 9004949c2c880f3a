package backstep

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
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
	r := &attemptRecord{secret: maskOf(i, named)}
	attrs := slog.NewTextHandler(&r.text, &slog.HandlerOptions{
		Level: slog.Level(-1 << 10), ReplaceAttr: r.shown,
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
	message = strings.ToValidUTF8(r.secret.Replace(message), "\uFFFD")
	if utf8.RuneCountInString(message) > progressRunes {
		message = string([]rune(message)[:progressRunes-1]) + "…"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress = &progress{
		State:   stateName(r.secret.Replace(state)),
		Percent: &percent,
		Message: message,
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

// shown leaves out what a line has by itself. Values are masked before they are written, as a text
// in quotes has other signs than a secret in it.
func (r *attemptRecord) shown(groups []string, attr slog.Attr) slog.Attr {
	isHead := attr.Key == slog.TimeKey || attr.Key == slog.LevelKey || attr.Key == slog.MessageKey
	if len(groups) == 0 && isHead {
		return slog.Attr{}
	}
	text := textOf(attr.Value)
	if masked := r.secret.Replace(text); masked != text {
		attr.Value = slog.StringValue(masked)
	}
	return attr
}

// textOf is what a slog.TextHandler writes for a value; empty where it panics.
func textOf(value slog.Value) (text string) {
	defer func() { _ = recover() }()
	switch value := value.Any().(type) {
	case encoding.TextMarshaler:
		written, _ := value.MarshalText()
		return string(written)
	case []byte:
		return string(value)
	default:
		return fmt.Sprintf("%+v", value)
	}
}

// maskOf replaces the texts that an attempt was given under one of these names, however deep and
// however they are written, and their lines, which a log may have one by one.
func maskOf(i *item, named []string) *strings.Replacer {
	given := []json.RawMessage{i.Parameters}
	for _, result := range i.Results {
		given = append(given, result)
	}
	if i.Forward != nil {
		given = append(given, i.Forward.Output)
	}
	var texts []string
	for _, raw := range given {
		var value any
		_ = json.Unmarshal(raw, &value)
		for _, text := range secretsIn(value, named) {
			for _, part := range append(strings.FieldsFunc(text, isLineEnd), text) {
				texts = append(texts, formsOf(part)...)
			}
		}
	}
	// The longest first: a shorter one may be the beginning of it.
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, text := range texts {
		pairs = append(pairs, text, mask)
	}
	return strings.NewReplacer(pairs...)
}

// formsOf are the ways to write a text that is long enough: as it is, in Go, JSON and addresses.
func formsOf(text string) []string {
	if len(text) < secretBytes {
		return nil
	}
	asJSON, _ := json.Marshal(text)
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text)
	return []string{
		text, inside(strconv.Quote(text)), inside(string(asJSON)),
		inside(strings.TrimSpace(plain.String())),
		url.QueryEscape(text), url.PathEscape(text),
	}
}

// inside leaves the quotes out that a text stands in.
func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

func isLineEnd(char rune) bool { return char == '\n' || char == '\r' }

// secretsIn returns the texts within members of these names.
func secretsIn(value any, named []string) []string {
	var texts []string
	switch value := value.(type) {
	case []any:
		for _, part := range value {
			texts = append(texts, secretsIn(part, named)...)
		}
	case map[string]any:
		for name, part := range value {
			if slices.Contains(named, name) {
				texts = append(texts, textsIn(part)...)
			} else {
				texts = append(texts, secretsIn(part, named)...)
			}
		}
	}
	return texts
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
