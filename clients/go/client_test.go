package backstep

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestAMarkInMySQLHasTheKeyThatTypeScriptGivesIt(t *testing.T) {
	for want, s := range map[string]Step{
		"207a35ed933be6d131df904d2f2bab913a213ded0ea20e866fc5569de785acff": {TaskID: "0198f3", Run: "pay~2"},
		"3f74958dd4765576d90dd45c985d08bdabf958f0de28505a0ede517cd1b7dbf1": {
			TaskID: "t\u2028<&>\"\\\u0007\b\f\n\r\t", Run: "site#1/ä😀\u007f",
		},
	} {
		if got := markID(s); got != want {
			t.Errorf("%s of %s: got %s", s.Run, s.TaskID, got)
		}
	}
}

func TestPausesFollowTheClientRules(t *testing.T) {
	for name, c := range map[string]struct {
		err         error
		least, most time.Duration
	}{
		"refused":     {&Problem{Status: 401}, refusedPause, refusedPause},
		"forbidden":   {&Problem{Status: 403, Code: "FORBIDDEN"}, refusedPause, refusedPause},
		"asked for":   {&Problem{Status: 503, retryAfter: time.Second}, time.Second, 2 * time.Second},
		"unavailable": {&Problem{Status: 503}, 0, firstPause},
		"no answer":   {errors.New("connection refused"), 0, firstPause},
	} {
		for range 100 {
			if got := new(backoff).after(c.err); got < c.least || got > c.most {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	var b backoff
	for range 20 {
		b.after(errors.New("no route"))
	}
	if b.next != longestPause {
		t.Errorf("the pauses grow to %s", b.next)
	}
}

func TestTheKeyIsReadFromTheEnvironmentOrAgainFromItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	env := map[string]string{"BACKSTEP_TOKEN_FILE": file}
	token, err := tokenFrom(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := token(); err == nil {
		t.Error("a file that is not there is no error")
	}
	for _, want := range []string{"first", "second"} {
		if err := os.WriteFile(file, []byte(want+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := token(); got != want || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	}
	env = map[string]string{"BACKSTEP_TOKEN": "third\r\n"}
	if token, err = tokenFrom(func(name string) string { return env[name] }); err != nil {
		t.Fatal(err)
	}
	if got, err := token(); got != "third" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	env["BACKSTEP_TOKEN_FILE"] = file
	if _, err := tokenFrom(func(name string) string { return env[name] }); err == nil {
		t.Error("a key that is named twice is no error")
	}
}

func TestALogKeepsTheNewestAndCountsTheOthers(t *testing.T) {
	r := &attemptRecord{secret: strings.NewReplacer()}
	for range 10 {
		r.add(0, strings.Repeat("x", 10_000))
	}
	taken := r.take(logBytes)
	if len(taken.lines) != 6 || taken.dropped != 4 {
		t.Errorf("%d lines, %d dropped", len(taken.lines), taken.dropped)
	}
	// Its request was not answered, and lines came meanwhile.
	r.add(0, "new")
	r.giveBack(taken)
	again := r.take(logBytes)
	if n := len(again.lines); n != 7 || again.lines[n-1].text != "new" || again.dropped != 4 {
		t.Errorf("%d lines, %d dropped", n, again.dropped)
	}
	r.add(0, strings.Repeat("ä", logBytes))
	if text := r.take(logBytes).lines[0].text; !strings.HasSuffix(text, "ä…") || len(text) > logBytes {
		t.Errorf("%d bytes", len(text))
	}
	r.add(0, "\xff\xffline")
	r.setProgress(50, "\xff\xffhalf", "")
	taken = r.take(logBytes)
	if taken.lines[0].text != "\uFFFDline" || taken.progress.Message != "\uFFFDhalf" {
		t.Errorf("got %q and %q", taken.lines[0].text, taken.progress.Message)
	}
}

func TestAnOutcomeIsToldALastTimeWhenThreeLeasesHavePassed(t *testing.T) {
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if tries++; tries == 1 {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	base, _ := url.Parse(server.URL)
	w := NewWorker(server.URL, "m", Lease(50*time.Millisecond))
	token := func() (string, error) { return "", nil }
	s := newService(w, &gateway{base: base, client: server.Client(), token: token})
	a := &attempt{item: &item{}, lease: w.lease, record: newRecord(&item{}, nil, slog.New(discard{}))}
	s.report(context.Background(), a, outcome{verb: "complete"})
	if tries != 2 {
		t.Errorf("it was told %d times", tries)
	}
}

func TestWhatIsReadOfParameters(t *testing.T) {
	type disk struct {
		Size int `json:"size"`
	}
	type all struct {
		Name    string            `json:"name"`
		Disks   []disk            `json:"disks,omitempty"`
		Tags    map[string]disk   `json:"tags,omitempty"`
		Owner   *disk             `json:"owner"`
		Since   time.Time         `json:"since,omitzero"`
		Labels  map[string]string `json:"labels,omitempty"`
		Quoted  int               `json:"quoted,omitempty,string"`
		Ignored int               `json:"-"`
		hidden  int
		disk
	}
	var p all
	err := readParameters([]byte(`{"name": "a", "NAME": "b", "size": 1, "disks": [{"size": 2}],
		"tags": {"x/y": {"size": 3}}, "since": "2026-01-02T03:04:05Z", "quoted": "7"}`), &p)
	if err != nil || p.Name != "a" || p.Size != 1 || p.Disks[0].Size != 2 ||
		p.Tags["x/y"].Size != 3 || p.Since.Year() != 2026 || p.Quoted != 7 || p.hidden != 0 {
		t.Errorf("got %+v, %v", p, err)
	}
	err = readParameters([]byte(`{"disks": [{}], "tags": {"x/y": {"size": "s"}}, "since": "now",
		"owner": 5, "labels": {"a": 1}}`), &all{})
	for _, want := range []string{
		"/name is missing", "/size is missing", "/disks/0/size is missing",
		"/tags/x~1y/size must be a whole number", "/since must be a time.Time",
		"/owner must be an object", "/labels/a must be a text",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

type Base struct {
	Region string `json:"region"`
	Zone   string `json:"zone,omitempty"`
	*Base
}

type Deep struct{ *Base }

type base struct {
	Region string `json:"region"`
}

func TestAnEmbeddedPointerIsReadAsEncodingJSONDoes(t *testing.T) {
	type all struct {
		CPU int `json:"cpu"`
		*Deep
	}
	for text, want := range map[string]string{
		`{"cpu": 1, "region": "r", "zone": "z"}`: "",
		`{"cpu": 1, "region": "r"}`:              "",
		`{"cpu": 1}`:                             "",
		`{"cpu": 1, "zone": null}`:               "",
		`{"cpu": 1, "zone": "z"}`:                "/region is missing",
		`{"cpu": 1, "region": 7}`:                "/region must be a text",
	} {
		var p all
		err := readParameters([]byte(text), &p)
		if err != nil && err.Error() != want || err == nil && want != "" {
			t.Errorf("%s: %v", text, err)
		}
		if want != "" {
			continue
		}
		var like all
		_ = json.Unmarshal([]byte(strings.ReplaceAll(text, `, "zone": null`, "")), &like)
		if !reflect.DeepEqual(p, like) {
			t.Errorf("%s: got %+v, and not %+v", text, p, like)
		}
	}
	given := all{Deep: &Deep{&Base{Region: "given"}}}
	err := readParameters([]byte(`{"cpu": 1, "zone": "z"}`), &given)
	if err != nil || given.Region != "given" || given.Zone != "z" {
		t.Errorf("got %+v, %v", given.Base, err)
	}
	var p struct{ *base }
	err = readParameters([]byte(`{"region": "r"}`), &p)
	if err == nil || !strings.Contains(err.Error(), "/region") {
		t.Errorf("what cannot be set is no error: %v", err)
	}
	if err := readForUndo([]byte(`{"region": "r"}`), &p); err != nil {
		t.Errorf("an undo cannot run: %v", err)
	}
}

func TestAnItemIsKnownAfterItsClaimHasEnded(t *testing.T) {
	c := claims{alive: map[claimKey]*attempt{}, kick: make(chan struct{}, 1)}
	one := func(token int64) *item { return &item{Claim: "c", TaskID: "t", FencingToken: token} }
	for token := range int64(endedMax + 1) {
		ctx, cancel := context.WithCancelCause(context.Background())
		stop := time.AfterFunc(time.Hour, func() {})
		a := &attempt{item: one(token), ctx: ctx, cancel: cancel, free: func() {}, stop: stop}
		c.add(a)
		c.remove(a)
	}
	if c.has(one(0)) || !c.has(one(1)) || !c.has(one(endedMax)) || c.has(one(endedMax+1)) {
		t.Error("it knows others than the claims that ended last")
	}
}

func TestAWorkerIsLiveWhileAllItsSlotsAreBusyAndItsHeartbeatsAreAnswered(t *testing.T) {
	polled := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ":poll") {
			_, _ = io.Copy(io.Discard, r.Body)
			polled <- struct{}{}
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	base, _ := url.Parse(server.URL)
	w := NewWorker(server.URL, "m", Slots(1))
	token := func() (string, error) { return "", nil }
	s := newService(w, &gateway{base: base, client: server.Client(), token: token})
	ctx, cancel := context.WithCancel(context.Background())
	slots := s.takeSlots(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.poll(ctx, ctx)
	}()
	beat := func() {
		long := time.Now().Add(-time.Hour)
		w.lastAnswer.Store(&long)
		a := &attempt{
			item: &item{}, lease: w.lease, record: newRecord(&item{}, nil, slog.New(discard{})),
		}
		if err := s.renew(ctx, []*attempt{a}); err != nil {
			t.Error(err)
		}
	}
	if beat(); w.Live() != nil {
		t.Error("it is busy, and not live")
	}
	long := time.Now().Add(-time.Hour)
	w.lastAnswer.Store(&long)
	s.freeSlots(slots)
	<-polled
	if w.Live() != nil {
		t.Error("it has just begun to ask, and is not live")
	}
	if beat(); w.Live() == nil {
		t.Error("it asks in vain, and is live")
	}
	cancel()
	<-ended
}
