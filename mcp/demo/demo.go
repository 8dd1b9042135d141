// Package demo is a small MCP server to try things on: the time, and a count of
// words.
//
// It owns two tools, a resource, a template of such and a prompt, and nothing else; it
// speaks on the streams it is given, in both eras of the protocol, and logs to a stream
// of its own. `forge mcp demo` runs it;
// `--mcp demo` mounts it.
package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Fresh is how long a client may keep what it was told of the server.
const Fresh = 5 * time.Minute

// maxLine bounds one message, in bytes.
const maxLine = 4 << 20

type timeInput struct {
	Zone string `json:"timezone,omitempty" jsonschema:"an IANA zone such as Europe/Paris; left out: UTC"`
}

type timeOutput struct {
	Time    string `json:"time"`
	Zone    string `json:"timezone"`
	Weekday string `json:"weekday"`
}

type countInput struct {
	Text string `json:"text" jsonschema:"the text to count in"`
}

type countOutput struct {
	Words      int `json:"words"`
	Characters int `json:"characters"`
	Lines      int `json:"lines"`
}

// Serve answers one client on in and out until in ends or ctx does. now tells the
// time.
func Serve(ctx context.Context, in io.Reader, out io.Writer, log io.Writer, version string, now func() time.Time) error {
	logger := slog.New(slog.NewTextHandler(log, nil))
	s := mcp.NewServer(&mcp.Implementation{Name: "forge-demo", Title: "forge's demo server", Version: version}, &mcp.ServerOptions{
		Logger:            logger,
		Instructions:      "current_time tells the time, word_count counts words. Both only read.",
		CompletionHandler: complete,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(Fresh.Milliseconds()), "public"
		},
	})
	closed := false
	hints := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
	mcp.AddTool(s, &mcp.Tool{Name: "current_time", Title: "Current time", Description: "Tell the date and the time, in a time zone.", Annotations: hints},
		func(_ context.Context, _ *mcp.CallToolRequest, in timeInput) (*mcp.CallToolResult, timeOutput, error) {
			zone, err := time.LoadLocation(in.Zone)
			if err != nil {
				return nil, timeOutput{}, fmt.Errorf("no time zone is named %q; they are called like Europe/Paris", in.Zone)
			}
			t := now().In(zone)
			return nil, timeOutput{Time: t.Format(time.RFC3339), Zone: zone.String(), Weekday: t.Weekday().String()}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "word_count", Title: "Word count", Description: "Count the words, characters and lines of a text.", Annotations: hints},
		func(_ context.Context, _ *mcp.CallToolRequest, in countInput) (*mcp.CallToolResult, countOutput, error) {
			o := countOutput{Words: len(strings.Fields(in.Text)), Characters: utf8.RuneCountInString(in.Text)}
			if in.Text != "" {
				o.Lines = 1 + strings.Count(strings.TrimSuffix(in.Text, "\n"), "\n")
			}
			return nil, o, nil
		})
	offer(s, now)
	pr, pw := io.Pipe()
	go func() {
		defer func() {
			if v := recover(); v != nil {
				pw.CloseWithError(fmt.Errorf("reading crashed: %v", v))
			}
		}()
		pw.CloseWithError(sieve(pw, in, logger))
	}()
	err := s.Run(ctx, &mcp.IOTransport{Reader: pr, Writer: output{out}, MaxLineLength: maxLine})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// sieve passes on the lines that are messages. The engine takes any other as the end
// of the session, and one slip of a client should not be that.
func sieve(dst io.Writer, src io.Reader, log *slog.Logger) error {
	lines := bufio.NewScanner(src)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\xef\xbb\xbf")))
		var head struct {
			Version string `json:"jsonrpc"`
		}
		if len(line) == 0 {
			continue
		}
		if json.Unmarshal(line, &head) != nil || head.Version != "2.0" {
			log.Warn("a line that is no message was left out", "bytes", len(line))
			continue
		}
		if _, err := dst.Write(append(line[:len(line):len(line)], '\n')); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.EOF
}

// output is a writer that is not closed: it is not ours.
type output struct{ io.Writer }

// Close implements io.Closer.
func (output) Close() error { return nil }
