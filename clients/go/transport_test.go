package backstep

import (
	"net/http"
	"testing"
)

func setDefaultTransport(t *testing.T, other http.RoundTripper) {
	before := http.DefaultTransport
	http.DefaultTransport = other
	t.Cleanup(func() { http.DefaultTransport = before })
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) { return t(request) }

func TestAProgramMayHaveADefaultTransportOfItsOwn(t *testing.T) {
	setDefaultTransport(t, transport(http.DefaultTransport.RoundTrip))
	if newClient(1).Transport == nil {
		t.Error("there is no transport")
	}
}
