package diff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Coding is how a file's bytes are text. Lines are found in text: in UTF-16 the
// byte of a line feed stands inside other letters too.
type Coding byte

// The codings. Bytes is UTF-8 and whatever else has lines that end in a line feed.
const (
	Bytes Coding = iota
	UTF16LE
	UTF16BE
)

func (c Coding) order() (binary.AppendByteOrder, string) {
	if c == UTF16BE {
		return binary.BigEndian, "\xfe\xff"
	}
	return binary.LittleEndian, "\xff\xfe"
}

// Decode gives the text of a file to compare, in UTF-8 where it was UTF-16 with its
// mark, and the coding that makes the same bytes of it again. What could not be
// written back as it was stays Bytes.
func Decode(data []byte) ([]byte, Coding) {
	for _, c := range []Coding{UTF16LE, UTF16BE} {
		order, mark := c.order()
		rest, ok := bytes.CutPrefix(data, []byte(mark))
		if !ok || len(rest)%2 != 0 {
			continue
		}
		units := make([]uint16, len(rest)/2)
		for i := range units {
			units[i] = order.(binary.ByteOrder).Uint16(rest[2*i:])
		}
		text := []byte(string(utf16.Decode(units)))
		if back, err := c.Encode(text); err == nil && bytes.Equal(back, data) {
			return text, c
		}
	}
	return data, Bytes
}

// Encode gives the bytes of a text, the mark of UTF-16 first. Text that is no UTF-8
// cannot be UTF-16.
func (c Coding) Encode(text []byte) ([]byte, error) {
	if c == Bytes {
		return text, nil
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("the text is not valid UTF-8 and cannot be written as UTF-16")
	}
	order, mark := c.order()
	out := append(make([]byte, 0, 2*len(text)+2), mark...)
	for _, u := range utf16.Encode([]rune(string(text))) {
		out = order.AppendUint16(out, u)
	}
	return out, nil
}

// Texts decodes both sides of a change for comparing them. The coding is that of the
// side there is, and of both where they agree; where a change is one of coding, the
// bytes themselves are compared.
func Texts(before, after []byte) (old, now []byte, c Coding) {
	old, was := Decode(before)
	now, is := Decode(after)
	switch {
	case was == is, len(before) == 0:
		return old, now, is
	case len(after) == 0:
		return old, now, was
	}
	return before, after, Bytes
}
