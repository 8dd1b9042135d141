package secrets

import (
	"strings"

	"forge/lazy"
)

var set10 = lazy.Value[*class]{Of: func() *class { return set(digits) }}

// maxBlock bounds a private key in a block, in bytes.
const maxBlock = 64 << 10

// block reads "-----BEGIN … PRIVATE KEY-----" at i, and what follows up to its
// end, and returns where to go on. Each line of the key is a secret of its own, so
// that lines keep their numbers and a part of a key shown alone is known again.
func (s *scanner) block(i int) int {
	t := s.text
	if strings.HasPrefix(t[i:], "-----END ") {
		name, after := label(t[i+len("-----END "):])
		if private(name) { // its begin was cut off
			s.backwards(i)
		}
		return i + len("-----END ") + after
	}
	if !strings.HasPrefix(t[i:], "-----BEGIN ") {
		for i < len(t) && t[i] == '-' {
			i++
		}
		return i
	}
	name, after := label(t[i+len("-----BEGIN "):])
	from := i + len("-----BEGIN ") + after
	if !private(name) {
		if n := strings.Index(t[from:min(len(t), from+maxBlock)], "-----END "); n >= 0 {
			return from + n // a certificate: nothing in it is looked at
		}
		return from
	}
	limit := min(len(t), from+maxBlock)
	end := limit
	closed := false
	if n := strings.Index(t[from:limit], "-----END "); n >= 0 {
		end, closed = from+n, true
	}
	s.body(from, end, closed)
	return end
}

// label reads the words of a block's first line and gives where it ends.
func label(t string) (name string, after int) {
	n := strings.Index(t[:min(len(t), 80)], "-----")
	if n < 0 {
		return "", 0
	}
	return t[:n], n + 5
}

func private(name string) bool { return strings.Contains(name, "PRIVATE KEY") }

// body emits the lines of a key between from and end. One that is not closed ends
// with the first line that is none of a key.
func (s *scanner) body(from, end int, closed bool) {
	t := s.text
	gap := 0
	for j := from; j < end; {
		if t[j] == '\\' && j+1 < end { // a line's end as JSON writes it
			j += 2
			continue
		}
		if !base64[t[j]] {
			if t[j] == '\n' {
				gap++
			}
			if gap > 3 {
				return
			}
			j++
			continue
		}
		n := run(t[j:end], base64)
		if keyLine(t[j:j+n]) && alone(t, j, j+n) || closed && n >= 4 && last(t[j+n:end]) && strings.Trim(t[j:j+n], digits) != "" {
			s.emit(find{j, j + n, kindPrivateKey})
			gap = 0
		}
		j += n
	}
}

// alone says whether a line of base64 is all there is between blanks, quotes and
// line ends, those of a program's text included.
func alone(t string, from, to int) bool {
	const edge = " \t\r\n\"'`,+;|\\>-"
	before := from == 0 || strings.IndexByte(edge, t[from-1]) >= 0 || t[from-1] == 'n' && from > 1 && t[from-2] == '\\'
	return before && (to == len(t) || strings.IndexByte(edge, t[to]) >= 0)
}

// last says whether only line ends are left of a block.
func last(t string) bool {
	return strings.Trim(t, " \t\r\n\\nr\"',+;|") == "" || !strings.ContainsAny(strings.TrimLeft(t, "\r\n"), "\n") && len(t) < 12
}

func keyLine(s string) bool { return len(s) >= 16 && !strings.Contains(s[:len(s)-2], "=") }

// backwards emits the lines before an end whose begin is not there.
func (s *scanner) backwards(i int) {
	t := s.text[:i]
	for {
		t = strings.TrimRight(t, "\r\n")
		nl := strings.LastIndexByte(t, '\n')
		l := strings.TrimRight(t[nl+1:], " \r")
		k := len(l)
		for k > 0 && base64[l[k-1]] {
			k--
		}
		if len(l)-k < 4 || strings.Contains(l, "-----") || strings.Trim(l[k:], digits) == "" {
			return
		}
		s.emit(find{nl + 1 + k, nl + 1 + len(l), kindPrivateKey})
		if nl < 0 {
			return
		}
		t = t[:nl]
	}
}
