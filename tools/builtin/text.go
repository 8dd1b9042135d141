package builtin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding is how a file's bytes are text.
type encoding string

const (
	utf8Plain encoding = "UTF-8"
	utf8BOM   encoding = "UTF-8 with BOM"
	utf16LE   encoding = "UTF-16LE"
	utf16BE   encoding = "UTF-16BE"
	eightBit  encoding = "not UTF-8" // some 8-bit code; bytes are kept as they are
)

var marks = []struct {
	enc encoding
	bom string
}{{utf8BOM, "\xef\xbb\xbf"}, {utf16LE, "\xff\xfe"}, {utf16BE, "\xfe\xff"}}

// text is a file decoded. body has the file's own line ends; a file that is
// decoded and encoded again has its old bytes.
type text struct {
	enc  encoding
	body string
}

var errBinary = errors.New("a binary file")

// decode reads bytes as text. errBinary means that they are none.
func decode(data []byte) (text, error) {
	for _, m := range marks {
		rest, ok := bytes.CutPrefix(data, []byte(m.bom))
		switch {
		case !ok:
		case m.enc == utf8BOM:
			t, err := decode8(rest)
			t.enc = utf8BOM
			return t, err
		default:
			return decode16(rest, m.enc)
		}
	}
	return decode8(data)
}

func decode8(data []byte) (text, error) {
	if looksBinary(data) {
		return text{}, errBinary
	}
	if utf8.Valid(data) {
		return text{utf8Plain, string(data)}, nil
	}
	return text{eightBit, string(data)}, nil
}

func decode16(data []byte, enc encoding) (text, error) {
	if len(data)%2 != 0 {
		return text{}, errBinary
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order(enc).Uint16(data[2*i:])
	}
	t := text{enc, string(utf16.Decode(units))}
	back, err := t.encode()
	if err != nil || !bytes.Equal(back[2:], data) || strings.ContainsRune(t.body, 0) {
		return text{}, errBinary // half a surrogate pair: it could not be written back as it was
	}
	return t, nil
}

func order(enc encoding) binary.ByteOrder {
	if enc == utf16BE {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// encode gives the bytes of t, its mark included.
func (t text) encode() ([]byte, error) {
	var out []byte
	for _, m := range marks {
		if m.enc == t.enc {
			out = append(out, m.bom...)
		}
	}
	if t.enc != utf16LE && t.enc != utf16BE {
		return append(out, t.body...), nil
	}
	if !utf8.ValidString(t.body) {
		return nil, fmt.Errorf("the text is not valid UTF-8 and cannot be written as %s", t.enc)
	}
	for _, u := range utf16.Encode([]rune(t.body)) {
		out = order(t.enc).(binary.AppendByteOrder).AppendUint16(out, u)
	}
	return out, nil
}

// looksBinary judges by the first 8 KiB: a NUL, or more than a tenth control
// characters that no text has.
func looksBinary(data []byte) bool {
	head := data[:min(len(data), 8<<10)]
	odd := 0
	for _, c := range head {
		switch {
		case c == 0:
			return true
		case c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b && c != '\b':
			odd++
		}
	}
	return odd*10 > len(head)
}
