package socket

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"forge/swap"
	"forge/ui/lang"
)

// On a port, either side proves that it knows the token before a byte of any protocol is
// read, and neither says it: whoever took the port while no server had it learns nothing.
//
//	server: forge-serve 1 NONCE
//	client: forge-client NONCE MAC
//	server: forge-serve MAC, or forge-serve no
//
// A MAC is HMAC-SHA256 under the token of "client" or "server", who makes it, and both
// nonces, the server's first, a blank between them, in hex.
const (
	greeting = "forge-serve 1 "
	proof    = "forge-client "
	counter  = "forge-serve "
	refusal  = counter + "no"
)

// mostProof is how long a line of it may be, in bytes.
const mostProof = 256

// TokenVar is the environment variable that holds the token of a server elsewhere.
const TokenVar = "FORGE_SERVE_TOKEN"

var (
	errProof  = errors.New("the client did not prove that it knows the token")
	errServer = errors.New("what listens there does not know the token of forge serve: it is another program, or an older server's port")
	errToken  = errors.New("the token is not the server's; it is printed where forge serve was started, and goes into the environment as FORGE_SERVE_TOKEN")
)

// newToken makes the token of this run.
func (p Place) newToken() (string, error) {
	token := rand.Text()
	return token, swap.Write(p.TokenFile(), []byte(token+"\n"), 0o600, swap.Quick)
}

func (p Place) token() (string, error) {
	if t := strings.TrimSpace(os.Getenv(TokenVar)); t != "" {
		return t, nil
	}
	b, err := os.ReadFile(p.TokenFile())
	t := strings.TrimSpace(string(b))
	if errors.Is(err, fs.ErrNotExist) || err == nil && t == "" { // a proof by nothing is one that anybody has
		return "", errors.New(lang.T("a server on a port wants its token; it is printed where forge serve was started: put it into the environment as %s", TokenVar))
	}
	return t, err
}

func mac(token, who, server, client string) string {
	h := hmac.New(sha256.New, []byte(token))
	h.Write([]byte(who + " " + server + " " + client))
	return hex.EncodeToString(h.Sum(nil))
}

func same(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// line reads one line of a proof and not a byte more.
func line(c net.Conn) (string, error) {
	var b [1]byte
	var out []byte
	for len(out) <= mostProof {
		if _, err := c.Read(b[:]); err != nil {
			return "", err
		}
		if b[0] == '\n' {
			return strings.TrimSuffix(string(out), "\r"), nil
		}
		out = append(out, b[0])
	}
	return "", errors.New("the line is too long")
}

// challenge is the server's half.
func challenge(c net.Conn, token string) error {
	_ = c.SetDeadline(time.Now().Add(provingTime))
	mine := rand.Text()
	if _, err := fmt.Fprintf(c, "%s%s\n", greeting, mine); err != nil {
		return err
	}
	said, err := line(c)
	if err != nil {
		return err
	}
	theirs, sum, ok := strings.Cut(strings.TrimPrefix(said, proof), " ")
	if !ok || !strings.HasPrefix(said, proof) || theirs == "" || !same(sum, mac(token, "client", mine, theirs)) {
		_, _ = fmt.Fprintln(c, refusal)
		return errProof
	}
	if _, err := fmt.Fprintf(c, "%s%s\n", counter, mac(token, "server", mine, theirs)); err != nil {
		return err
	}
	_ = c.SetDeadline(time.Time{}) // of one that has gone meanwhile it cannot be taken back
	return nil
}

// answer is the client's.
func answer(c net.Conn, token string) error {
	_ = c.SetDeadline(time.Now().Add(provingTime))
	said, err := line(c)
	theirs, ok := strings.CutPrefix(said, greeting)
	if err != nil || !ok {
		return errServer
	}
	mine := rand.Text()
	if _, err := fmt.Fprintf(c, "%s%s %s\n", proof, mine, mac(token, "client", theirs, mine)); err != nil {
		return err
	}
	said, err = line(c)
	switch {
	case err != nil:
		return err
	case said == refusal:
		return errToken
	case !same(strings.TrimPrefix(said, counter), mac(token, "server", theirs, mine)):
		return errServer
	}
	_ = c.SetDeadline(time.Time{})
	return nil
}

// Dial connects to a server and proves that it may, in a few seconds at most. ErrNone: none
// runs there.
func (p Place) Dial(ctx context.Context, a Address) (net.Conn, error) {
	d := net.Dialer{Timeout: provingTime}
	c, err := d.DialContext(ctx, a.Network, a.Name)
	switch {
	case err != nil && (refused(err) || errors.Is(err, fs.ErrNotExist)):
		return nil, ErrNone
	case err != nil:
		return nil, fmt.Errorf(lang.T("connect to %s: %w"), a, err)
	}
	undo := context.AfterFunc(ctx, func() { c.Close() })
	if a.Network == "unix" {
		err = sameUser(c)
	} else {
		var token string
		if token, err = p.token(); err == nil {
			err = answer(c, token)
		}
	}
	if !undo() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf(lang.T("connect to %s: %w"), a, err)
	}
	return c, nil
}
