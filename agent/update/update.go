// Package update finds out whether there is a newer forge and puts it in the place of the
// one that runs.
//
// It owns the form of the feed, how versions compare, and the replacing of a program: what
// comes is checked against the feed's sum and tried before anything is replaced, and the
// program there is stays whatever fails. Who calls it says where the feed is; nothing of
// the person or the machine is sent beside the request itself.
package update

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Feed is what stands at the address of the updates.
type Feed struct {
	Version string           `json:"version"` // as v1.2.3
	Notes   string           `json:"notes"`   // a page for people; may be empty
	Builds  map[string]Build `json:"builds"`  // by system and processor, as linux/amd64
}

// Build is the program for one kind of machine: as it is, or inside of a .tar.gz.
type Build struct {
	URL string `json:"url"`
	Sum string `json:"sha256"` // of the file at URL, in hex
}

// feedMax and buildMax bound what is read, in bytes.
const (
	feedMax  = 1 << 20
	buildMax = 512 << 20
)

// Read asks for the feed. Its address, and those in it, are https, or of this machine.
func Read(ctx context.Context, client *http.Client, address string) (Feed, error) {
	var f Feed
	body, err := get(ctx, client, address)
	if err != nil {
		return f, err
	}
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, feedMax))
	if err != nil {
		return f, fmt.Errorf("read the feed of updates: %w", err)
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return f, fmt.Errorf("the feed of updates cannot be read: %w", err)
	}
	if _, ok := numbers(f.Version); !ok {
		return f, fmt.Errorf("the feed of updates names no version, but %q", f.Version)
	}
	return f, nil
}

// get asks for a file. No redirect leads away from https.
func get(ctx context.Context, client *http.Client, address string) (io.ReadCloser, error) {
	if err := Safe(address); err != nil {
		return nil, err
	}
	c := *client
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if len(via) >= 10 {
			return errors.New("too many redirects")
		}
		return Safe(r.URL.String())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "forge")
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s answered HTTP %d", req.URL.Host, resp.StatusCode)
	}
	return resp.Body, nil
}

// Safe says what is wrong with an address that a program is to come from.
func Safe(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%q is no address", address)
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	if u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("updates come over https alone, not from %s://%s", u.Scheme, u.Host)
}

// Newer reports whether one version comes after another. What is no version comes after
// none, and nothing comes after it: a build from source is whoever built it's to renew.
func Newer(version, than string) bool {
	a, ok1 := numbers(version)
	b, ok2 := numbers(than)
	if !ok1 || !ok2 {
		return false
	}
	for i := range 3 {
		if a.n[i] != b.n[i] {
			return a.n[i] > b.n[i]
		}
	}
	switch { // a release comes after what led to it
	case a.pre == b.pre:
		return false
	case a.pre == "":
		return true
	case b.pre == "":
		return false
	}
	return later(strings.Split(a.pre, "."), strings.Split(b.pre, "."))
}

// Numbered reports whether a text is a version, as v1.2.3 or v1.2.3-rc.1.
func Numbered(version string) bool { _, ok := numbers(version); return ok }

type number struct {
	n   [3]int
	pre string
}

func numbers(v string) (out number, ok bool) {
	v, build, _ := strings.Cut(strings.TrimPrefix(v, "v"), "+")
	v, out.pre, _ = strings.Cut(v, "-")
	for _, part := range []string{out.pre, build} { // it is shown to people as it stands
		if len(part) > 64 || strings.ContainsFunc(part, func(r rune) bool {
			return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '.' || r == '-')
		}) {
			return out, false
		}
	}
	parts := strings.Split(v, ".")
	if len(parts) != 3 {
		return out, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || p[0] == '+' {
			return out, false
		}
		out.n[i] = n
	}
	return out, true
}

// later compares what stands behind the dash, part by part: numbers as numbers, and before
// words.
func later(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		x, err1 := strconv.Atoi(a[i])
		y, err2 := strconv.Atoi(b[i])
		switch {
		case err1 == nil && err2 == nil:
			return x > y
		case err1 == nil || err2 == nil:
			return err1 != nil
		}
		return a[i] > b[i]
	}
	return len(a) > len(b)
}

// sum reads the sum of a build.
func (b Build) sum() ([]byte, error) {
	s, err := hex.DecodeString(strings.TrimSpace(b.Sum))
	if err != nil || len(s) != 32 {
		return nil, errors.New("the feed of updates has no sha256 of this build; nothing is installed without one")
	}
	return s, nil
}
