package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// maxFrame is the largest message that is read, in bytes; a longer one is passed
	// over.
	maxFrame = 16 << 20
	// maxNoise is how much a server may write that is no message, in bytes: some greet
	// on the wrong stream.
	maxNoise = 64 << 10
	maxLine  = 8 << 10
)

// errNoise is the error of a server that does not speak the protocol.
var errNoise = errors.New("it writes what is no message of the protocol")

// A frameReader cuts a stream into messages.
type frameReader struct {
	r     *bufio.Reader
	noise int
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// next gives the next message; nil without an error: one that was too large.
func (f *frameReader) next() ([]byte, error) {
	length := -1
	for {
		line, err := f.line()
		if err != nil {
			return nil, err
		}
		name, value, ok := strings.Cut(line, ":")
		switch {
		case line == "" && length >= 0:
			return f.body(length)
		case ok && strings.EqualFold(strings.TrimSpace(name), "Content-Length"):
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%w: a length of %q", errNoise, value)
			}
			length = n
		case ok && strings.EqualFold(strings.TrimSpace(name), "Content-Type"):
		default:
			if f.noise += len(line) + 1; f.noise > maxNoise {
				return nil, errNoise
			}
			if length >= 0 && line != "" { // it stands between a head and its body
				return nil, errNoise
			}
		}
	}
}

// line reads one line of a head, without its end.
func (f *frameReader) line() (string, error) {
	var b []byte
	for {
		part, err := f.r.ReadSlice('\n')
		b = append(b, part...)
		switch {
		case err == nil:
			return strings.TrimRight(string(b), "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		case len(b) > maxLine:
			if f.noise += len(b); f.noise > maxNoise {
				return "", errNoise
			}
			b = b[:0]
		}
	}
}

func (f *frameReader) body(length int) ([]byte, error) {
	if length > maxFrame {
		_, err := io.CopyN(io.Discard, f.r, int64(length))
		return nil, err
	}
	b := make([]byte, length)
	_, err := io.ReadFull(f.r, b)
	return b, err
}

// framed is a message as it is written.
func framed(body []byte) []byte {
	return append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...)
}
