package export

import (
	"bufio"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"forge/agent/session"
	"forge/provider"
)

// writeLines writes the lines of the session, those this version does not know
// included.
func writeLines(w io.Writer, t Talk) error {
	b := bufio.NewWriter(w)
	write := func(line []byte) error {
		text := escapeHidden(provider.Redact(string(line)))
		if !gjson.Valid(text) { // taking something out broke it: it is told, not passed on
			return fmt.Errorf("a line cannot be written without what looks like a key in it; export as markdown")
		}
		_, err := b.WriteString(text)
		return err
	}
	if t.Path != "" {
		var failed error
		_, err := session.Lines(t.Path, func(line []byte, _ int64) bool {
			failed = write(line)
			return failed == nil
		})
		if err == nil {
			err = failed
		}
		if err != nil {
			return err
		}
		return b.Flush()
	}
	rs := append([]session.Record{{Time: t.Header.Created, Header: &t.Header}}, t.Records...)
	for i, r := range rs {
		r.Seq = i
		line, err := session.Line(r)
		if err == nil {
			err = write(line)
		}
		if err != nil {
			return err
		}
	}
	return b.Flush()
}

// escapeHidden writes characters that are commands to a terminal as JSON escapes:
// they stand in strings only.
func escapeHidden(s string) string {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		switch {
		case r == 0x7f || hidden(r) && r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		case hidden(r):
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}
