package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/sorting"
)

// rawLine is one line of a --raw file. Of one call n there are: a "request", a
// "response" with status and headers, "chunk"s as they were read, and an "end";
// a call that failed has its "end" at once. Times are UTC.
type rawLine struct {
	Time    time.Time         `json:"time"`
	N       int               `json:"n"` // counts calls from 1
	Type    string            `json:"type"`
	Method  string            `json:"method,omitempty"`
	URL     string            `json:"url,omitempty"`
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    exact             `json:"body,omitempty"` // {"b64":…} where it is not UTF-8: a read may end inside a letter
	Err     string            `json:"err,omitempty"`
}

// Record returns a RoundTripper that passes calls to next (nil:
// http.DefaultTransport) and writes both directions to w as JSON lines, keys
// removed: from headers by name and from those in secret, from URLs and bodies wherever the call's own key
// stands and whatever Redact knows. A w that fails ends the recording, not the
// call. Lines are written whole, one Write each.
func Record(w io.Writer, next http.RoundTripper, secret ...string) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	rec := &recorder{w: w, next: next}
	for _, name := range secret {
		rec.secret = append(rec.secret, http.CanonicalHeaderKey(name))
	}
	return rec
}

type recorder struct {
	next   http.RoundTripper
	secret []string // headers, canonical

	mu   sync.Mutex
	w    io.Writer // nil after a failed write
	last int
}

func (rec *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	rec.mu.Lock()
	rec.last++
	n := rec.last
	rec.mu.Unlock()

	var body []byte
	if req.Body != nil && req.Body != http.NoBody {
		var err error
		body, err = io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		req = req.Clone(req.Context()) // a RoundTripper may not change its request
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	named := func(header string) bool { return keyName(header) || slices.Contains(rec.secret, header) }
	secrets := keysOf(req, named)
	rec.write(rawLine{N: n, Type: "request", Method: req.Method, URL: Address(scrub(req.URL.String(), secrets)), Headers: rawHeaders(req.Header, secrets, named), Body: exact(scrub(string(body), secrets))})
	resp, err := rec.next.RoundTrip(req)
	if err != nil {
		rec.write(rawLine{N: n, Type: "end", Err: scrub(err.Error(), secrets)})
		return nil, err
	}
	rec.write(rawLine{N: n, Type: "response", Status: resp.StatusCode, Headers: rawHeaders(resp.Header, secrets, func(string) bool { return false })})
	resp.Body = &recordedBody{rec: rec, n: n, body: resp.Body, secrets: secrets}
	return resp, nil
}

func (rec *recorder) write(l rawLine) {
	l.Time = time.Now().UTC()
	line, err := plainJSON(l)
	if err != nil {
		return // cannot happen: every field encodes
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.w == nil {
		return
	}
	if _, err := rec.w.Write(append(line, '\n')); err != nil {
		rec.w = nil
		slog.Warn("recording of the wire ended", "err", err)
	}
}

// recordedBody writes down what is read through it. It holds back an end that may
// be the beginning of a key, so that a key cut in two is still found.
type recordedBody struct {
	rec     *recorder
	n       int
	body    io.ReadCloser
	secrets []string

	mu   sync.Mutex // Close may come from another goroutine
	held []byte
	done bool
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > 0 && !b.done {
		b.held = append(b.held, p[:n]...)
		cut := len(b.held) - keyStart(b.held, b.secrets)
		b.chunk(b.held[:cut])
		b.held = append(b.held[:0], b.held[cut:]...)
	}
	switch {
	case err == io.EOF:
		b.end("")
	case err != nil:
		b.end(err.Error())
	}
	return n, err
}

func (b *recordedBody) Close() error {
	err := b.body.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end("closed by forge")
	return err
}

func (b *recordedBody) chunk(p []byte) {
	if len(p) > 0 {
		b.rec.write(rawLine{N: b.n, Type: "chunk", Body: exact(scrub(string(p), b.secrets))})
	}
}

func (b *recordedBody) end(why string) {
	if b.done {
		return
	}
	b.done = true
	b.chunk(b.held)
	b.held = nil
	b.rec.write(rawLine{N: b.n, Type: "end", Err: scrub(why, b.secrets)})
}

// keyHeaders are the headers that carry keys or sessions, canonical.
var keyHeaders = []string{"Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie", "Set-Cookie"}

// keyWords make a header's or a query parameter's name that of a key. Gateways
// have many of their own, and people set them in their configuration.
var keyWords = []string{"key", "token", "secret", "auth", "password", "credential", "cookie", "signature", "sig", "code", "session"}

func keyName(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(keyWords, func(w string) bool { return strings.Contains(name, w) })
}

// keysOf finds the keys a request carries, longest first.
func keysOf(req *http.Request, named func(header string) bool) []string {
	var keys []string
	add := func(v string, least int) {
		if v = strings.TrimSpace(v); len(v) >= least {
			keys = append(keys, v)
		}
	}
	for name, values := range req.Header {
		least := 8 // a short word under such a name is a setting, and stands all over a body
		if slices.Contains(keyHeaders, name) {
			least = 4
		} else if !named(name) {
			continue
		}
		for _, v := range values {
			if _, after, ok := strings.Cut(v, " "); ok { // Bearer KEY
				v = after
			}
			add(v, least)
		}
	}
	for _, part := range strings.Split(req.URL.RawQuery, "&") {
		if name, v, _ := strings.Cut(part, "="); keyName(name) {
			add(v, 8) // as the URL spells it
			if plain, err := url.QueryUnescape(v); err == nil && plain != v {
				add(plain, 8)
			}
		}
	}
	if password, ok := req.URL.User.Password(); ok {
		add(password, 4)
	}
	sorting.By(keys, func(a, b string) int { return len(b) - len(a) })
	return keys
}

func rawHeaders(h http.Header, secrets []string, keyName func(string) bool) map[string]string {
	out := map[string]string{}
	for k, v := range h {
		if slices.Contains(keyHeaders, k) || keyName(k) {
			out[k] = removed
			continue
		}
		out[k] = scrub(strings.Join(v, ", "), secrets)
	}
	return out
}

func scrub(s string, secrets []string) string {
	for _, key := range secrets {
		s = strings.ReplaceAll(s, key, removed)
	}
	return Redact(s)
}

// keyStart is the length of the longest end of p that is a proper beginning of a key.
func keyStart(p []byte, secrets []string) int {
	longest := 0
	for _, key := range secrets {
		for n := min(len(key)-1, len(p)); n > longest; n-- {
			if bytes.HasSuffix(p, []byte(key[:n])) {
				longest = n
				break
			}
		}
	}
	return longest
}

// ReadRaw reads the body of reply n (from 1; 0: the last one) out of a --raw
// file, and the URL that was called. A torn last line is no error.
func ReadRaw(r io.Reader, n int) (body []byte, url string, err error) {
	urls := map[int]string{}
	bodies := map[int][]byte{}
	last := 0
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, readErr := in.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return nil, "", readErr
		}
		var l rawLine
		if jsonErr := json.Unmarshal(line, &l); jsonErr != nil || l.N == 0 {
			if readErr == nil && len(bytes.TrimSpace(line)) > 0 {
				return nil, "", fmt.Errorf("no --raw recording: line %.60q is not one of its lines", line)
			}
		} else {
			switch l.Type {
			case "request":
				urls[l.N] = l.URL
			case "response":
				last = max(last, l.N)
				bodies[l.N] = []byte{}
			case "chunk":
				bodies[l.N] = append(bodies[l.N], l.Body...)
			}
		}
		if readErr != nil {
			break
		}
	}
	if n == 0 {
		n = last
	}
	got, ok := bodies[n]
	if !ok {
		return nil, "", fmt.Errorf("no reply %d in this recording: it has %d calls, %d of them answered", n, len(urls), len(bodies))
	}
	return got, urls[n], nil
}
