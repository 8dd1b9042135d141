package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRecordBothDirections(t *testing.T) {
	const key = "my-own-key-with-no-known-shape"
	half := "data: {\"text\":\"\xe6\xbc" // the letter ends in the next read
	step := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if string(body) != `{"q":"`+key+`"}` || r.Header.Get("X-Api-Key") != key {
			t.Errorf("the server got %q %q", body, r.Header.Get("X-Api-Key"))
		}
		w.Header().Set("Set-Cookie", "session=abc")
		for _, part := range []string{half, "\xa2 " + key[:9], key[9:] + "\"}\n\n"} {
			io.WriteString(w, part)
			w.(http.Flusher).Flush()
			<-step
		}
	}))
	defer srv.Close()
	var file bytes.Buffer
	client := &http.Client{Transport: Record(&file, srv.Client().Transport)}
	for range 2 {
		body, err := Post(t.Context(), Call{Client: client, URL: srv.URL + "/v1?key=" + key, Body: []byte(`{"q":"` + key + `"}`), Header: http.Header{"X-Api-Key": {key}}})
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for buf := make([]byte, 512); ; {
			n, err := body.Read(buf)
			got = append(got, buf[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			step <- struct{}{}
		}
		body.Close()
		if want := "data: {\"text\":\"漢 " + key + "\"}\n\n"; string(got) != want {
			t.Fatalf("the caller read %q, want %q", got, want)
		}
	}
	if strings.Contains(file.String(), key) || strings.Contains(file.String(), "session=abc") {
		t.Errorf("a key is in the recording:\n%s", file.String())
	}
	chunks := 0
	for sc := bufio.NewScanner(bytes.NewReader(file.Bytes())); sc.Scan(); {
		var l rawLine
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil || l.Time.IsZero() || l.N == 0 {
			t.Fatalf("%v: %s", err, sc.Text())
		}
		if l.Type == "chunk" && l.N == 1 {
			chunks++
		}
	}
	if chunks != 3 {
		t.Errorf("%d chunks, want the 3 that arrived", chunks)
	}
	for _, n := range []int{0, 1, 2} {
		body, url, err := ReadRaw(bytes.NewReader(file.Bytes()), n)
		if err != nil || string(body) != "data: {\"text\":\"漢 "+removed+"\"}\n\n" || !strings.HasPrefix(url, srv.URL+"/v1?key=") {
			t.Errorf("reply %d: %q %q %v", n, body, url, err)
		}
	}
}

type failingWriter struct{ after int }

func (f *failingWriter) Write(p []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestRecordSurvivesItsFile(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "fine") }))
	defer srv.Close()
	body, err := Post(t.Context(), Call{Client: &http.Client{Transport: Record(&failingWriter{after: 1}, srv.Client().Transport)}, URL: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if b, err := io.ReadAll(body); string(b) != "fine" || err != nil {
		t.Errorf("%q %v", b, err)
	}
}

func TestRecordFailedCall(t *testing.T) {
	var file bytes.Buffer
	down := roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("down") })
	if _, err := Post(t.Context(), Call{Client: &http.Client{Transport: Record(&file, down)}, URL: "http://h/"}); err == nil {
		t.Fatal("no error")
	}
	if !strings.Contains(file.String(), `"type":"end","err":"down"`) {
		t.Error(file.String())
	}
	if _, _, err := ReadRaw(&file, 1); err == nil || !strings.Contains(err.Error(), "1 calls, 0 of them answered") {
		t.Errorf("%v", err)
	}
}

func TestReadRawTornAndForeign(t *testing.T) {
	good := `{"time":"2026-11-29T00:00:00Z","n":1,"type":"request","url":"http://h"}
{"time":"2026-11-29T00:00:00Z","n":1,"type":"response","status":200}
{"time":"2026-11-29T00:00:00Z","n":1,"type":"chunk","body":"a"}
{"time":"2026-11-29T00:00:00Z","n":1,"type":"chunk","bo`
	if body, url, err := ReadRaw(strings.NewReader(good), 0); string(body) != "a" || url != "http://h" || err != nil {
		t.Errorf("%q %q %v", body, url, err)
	}
	for _, bad := range []string{"data: {}\n\ndata: [DONE]\n", ""} {
		if _, _, err := ReadRaw(strings.NewReader(bad), 0); err == nil {
			t.Errorf("%q is taken for a recording", bad)
		}
	}
}

// TestRecordKnowsKeysByTheirNames: gateways have headers and parameters of their
// own; what stands in one is a key wherever it comes again.
func TestRecordKnowsKeysByTheirNames(t *testing.T) {
	const inHeader, inQuery = "pretty plain words", "a+b%2Fc-1234"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Ratelimit-Remaining-Tokens", "40000")
		io.WriteString(w, "you sent plain words and a b/c-1234, "+r.URL.RawQuery)
	}))
	defer srv.Close()
	var file bytes.Buffer
	client := &http.Client{Transport: Record(&file, srv.Client().Transport)}
	body, err := Post(t.Context(), Call{Client: client, URL: srv.URL + "/v1?subscription-key=" + inQuery + "&api-version=2025-01-01", Body: []byte(`{"stream":true}`),
		Header: http.Header{"X-Portkey-Api-Key": {inHeader}, "X-Use-Auth": {"true"}, "X-Title": {"forge"}}})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(body)
	body.Close()
	got := file.String()
	for _, secret := range []string{"plain words", inQuery, "a b/c-1234"} {
		if strings.Contains(got, secret) {
			t.Errorf("%q is in the recording:\n%s", secret, got)
		}
	}
	for _, kept := range []string{"api-version=2025-01-01", `"X-Title":"forge"`, `{\"stream\":true}`, `"X-Ratelimit-Remaining-Tokens":"40000"`} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is missing in the recording:\n%s", kept, got)
		}
	}
}
