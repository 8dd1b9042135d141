package linear

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// maxLine bounds a line that is read, in bytes; a terminal hands over 4,096 at most.
const maxLine = 1 << 20

func pump(ctx context.Context, next func() []any, to chan<- []any) {
	defer close(to)
	for {
		batch := next()
		if batch == nil {
			return
		}
		select {
		case to <- batch:
		case <-ctx.Done():
			return
		}
	}
}

func read(ctx context.Context, from io.Reader, to chan<- string) {
	defer close(to)
	s := bufio.NewScanner(from)
	s.Buffer(make([]byte, 0, 4096), maxLine)
	for s.Scan() {
		select {
		case to <- strings.TrimSuffix(strings.ToValidUTF8(s.Text(), "\uFFFD"), "\r"):
		case <-ctx.Done():
			return
		}
	}
}
