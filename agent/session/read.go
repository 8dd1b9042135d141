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
func read(f *os.File) (rs []Record, whole int64, torn bool, err error) {
	var decoding sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var parts []*[]Record
	var lines [][]byte
	size := 0
	flush := func() {
		part, batch := new([]Record), lines
		parts = append(parts, part)
		lines, size = nil, 0
		slots <- struct{}{}
		decoding.Go(func() {
			defer func() { <-slots }()
			*part = decodeAll(batch)
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
		return nil, 0, false, err
	}
	total := 0
	for _, part := range parts {
		total += len(*part)
	}
	rs = make([]Record, 0, total)
	for _, part := range parts {
		rs = append(rs, *part...)
	}
	return dated(rs), whole, torn, nil
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
