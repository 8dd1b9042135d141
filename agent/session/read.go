package session

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"sync"
)

// partSize is how many bytes of lines are decoded at a time, on every core.
const partSize = 512 << 10

// read returns the records of a file, where its last whole line ends, and
// whether something unfinished follows.
func read(f *os.File) (rs []Record, over passed, whole int64, torn bool, err error) {
	var decoding sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	type part struct {
		rs   []Record
		over passed
	}
	var parts []*part
	var lines [][]byte
	size := 0
	flush := func() {
		p, batch := new(part), lines
		parts = append(parts, p)
		lines, size = nil, 0
		slots <- struct{}{}
		decoding.Go(func() {
			defer func() { <-slots }()
			p.rs, p.over = decodeAll(batch)
		})
	}
	br := bufio.NewReaderSize(f, 64<<10)
	for {
		text, n, e := readLine(br)
		if e != nil {
			if torn = n > 0; e != io.EOF {
				err = e
			}
			break
		}
		whole += n
		lines = append(lines, text)
		if size += len(text); size >= partSize {
			flush()
		}
	}
	flush()
	decoding.Wait()
	if err != nil {
		return nil, passed{}, 0, false, err
	}
	total := 0
	for _, p := range parts {
		total += len(p.rs)
		over = over.add(p.over)
	}
	rs = make([]Record, 0, total)
	for _, p := range parts {
		rs = append(rs, p.rs...)
	}
	return dated(rs), over, whole, torn, nil
}

// readLine returns the next line and its length in the file, newline included. A
// line over the limit comes back empty; io.EOF comes with the length of a last
// line that has no newline.
func readLine(br *bufio.Reader) (text []byte, n int64, err error) {
	for {
		part, err := br.ReadSlice('\n')
		n += int64(len(part))
		if n <= maxLine {
			text = append(text, part...)
		} else {
			text = nil
		}
		if err != bufio.ErrBufferFull {
			return text, n, err
		}
	}
}
