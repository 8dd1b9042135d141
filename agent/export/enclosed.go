package export

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"forge/agent/session"
)

// A file for people holds the conversation once more for forge, in a comment at its
// end that neither Markdown nor a browser shows: the lines of JSONL, packed. So what
// was exported in any format can be taken in again, whole.
const (
	enclosedHead = "<!-- forge session"
	enclosedTail = "-->"
	enclosedMost = 1 << 30 // bytes of unpacked lines
	enclosedWide = 120     // letters of a row
)

// enclose writes the comment; nothing where the lines cannot leave.
func enclose(w io.Writer, t Talk) error {
	var lines, packed bytes.Buffer
	if writeLines(&lines, t) != nil {
		return nil
	}
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(lines.Bytes()); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	text := base64.StdEncoding.EncodeToString(packed.Bytes())
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "\n%s\n", enclosedHead)
	for len(text) > 0 {
		n := min(enclosedWide, len(text))
		fmt.Fprintln(b, text[:n])
		text = text[n:]
	}
	fmt.Fprintln(b, enclosedTail)
	return b.Flush()
}

// Import takes an exported conversation into dir under a new ID; it belongs to the
// folder cwd from then on. The file may have any of the formats: of those for people,
// what counts is what File enclosed, and not what was written into the text since.
// What cannot be read is counted.
func Import(dir, file, cwd string) (session.Info, session.Damage, error) {
	fail := func(err error) (session.Info, session.Damage, error) {
		return session.Info{}, session.Damage{}, fmt.Errorf("import %s: %w", file, err)
	}
	f, err := os.Open(file)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	if first, err := bufio.NewReader(f).Peek(1); err != nil || first[0] == '{' || first[0] == '\n' {
		return session.Import(dir, file, cwd)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fail(err)
	}
	at := bytes.LastIndex(text, []byte("\n"+enclosedHead))
	if at < 0 {
		return session.Import(dir, file, cwd) // which says what it is not
	}
	packed, _, whole := strings.Cut(string(text[at+1+len(enclosedHead):]), enclosedTail)
	if !whole {
		return fail(errors.New("the conversation in it is cut off"))
	}
	lines, err := os.CreateTemp("", "forge-import-*.jsonl")
	if err != nil {
		return fail(err)
	}
	defer os.Remove(lines.Name())
	err = unpack(lines, packed)
	if err = errors.Join(err, lines.Close()); err != nil {
		return fail(fmt.Errorf("the conversation in it is damaged: %w", err))
	}
	info, lost, err := session.Import(dir, lines.Name(), cwd)
	if err != nil {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner // the name of the file between is no help
		}
		return fail(err)
	}
	return info, lost, nil
}

func unpack(w io.Writer, packed string) error {
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(packed), ""))
	if err != nil {
		return err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	n, err := io.Copy(w, io.LimitReader(z, enclosedMost+1))
	if err == nil && n > enclosedMost {
		err = fmt.Errorf("it has more than %d MB", enclosedMost>>20)
	}
	return err
}
