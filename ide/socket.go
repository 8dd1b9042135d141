package ide

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// socketPipe is a WebSocket, one message a frame.
type socketPipe struct {
	conn *websocket.Conn
	take func([]byte)
	lose func(error)
	life context.Context
	stop context.CancelFunc
}

// tokenHeader is where the editor wants the token of its lock file.
const tokenHeader = "X-Claude-Code-Ide-Authorization"

func dialSocket(ctx context.Context, b Bridge, p *peer) (*socketPipe, error) {
	conn, resp, err := websocket.Dial(ctx, fmt.Sprintf("ws://127.0.0.1:%d/", b.Port), &websocket.DialOptions{
		HTTPClient:   loopback(b.Port),
		HTTPHeader:   http.Header{tokenHeader: {b.token()}},
		Subprotocols: []string{"mcp"},
	})
	if err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case resp != nil && resp.StatusCode != http.StatusSwitchingProtocols:
			return nil, refused(resp)
		case strings.Contains(err.Error(), "refused"):
			return nil, ErrSilent
		}
		return nil, plainly(err)
	}
	conn.SetReadLimit(maxMessage)
	s := &socketPipe{conn: conn, take: p.take, lose: p.lose}
	s.life, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// hear takes what comes, until the editor is gone.
func (s *socketPipe) hear() {
	defer s.lose(ErrGone) // also after a crash: nothing is heard any more
	defer recovered("hear the editor")
	for {
		kind, b, err := s.conn.Read(s.life)
		if err != nil {
			return
		}
		if kind == websocket.MessageText {
			s.take(b)
		}
	}
}

// send implements pipe.
func (s *socketPipe) send(ctx context.Context, msg []byte) (bool, error) {
	// A write that is broken off would end the connection: it has a time of its own.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	if err := s.conn.Write(ctx, websocket.MessageText, msg); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return false, ErrSlow
		}
		return false, ErrGone
	}
	return false, nil
}

// close implements pipe.
func (s *socketPipe) close() {
	s.stop()
	_ = s.conn.CloseNow() // nobody is left to be told of its error
}
