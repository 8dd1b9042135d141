package markdown

import "strings"

// close reads the ] at i: the end of a link, or itself.
func (t *tokenizer) close(i int) int {
	for len(t.brackets) > 0 {
		k := t.brackets[len(t.brackets)-1]
		t.brackets = t.brackets[:len(t.brackets)-1]
		if !t.out[k].live {
			continue
		}
		dest, n, ok := t.destination(i, k)
		if !ok {
			break
		}
		t.link(k, dest)
		return n
	}
	t.text = append(t.text, ']')
	return 1
}

// destination reads what follows the ] at i of the bracket token k.
func (t *tokenizer) destination(i, k int) (dest string, n int, ok bool) {
	s := t.src
	if i+1 < len(s) && s[i+1] == '(' && !t.noParen {
		d, end, ok := parseDest(s, i+2)
		if ok {
			return d, end - i, true
		}
		if t.open && end == len(s) && len(s)-i < 2048 {
			return strings.TrimSpace(strings.Trim(s[i+2:], "<")), len(s) - i, true
		}
	}
	if t.refs.none() {
		return "", 0, false
	}
	t.flush()
	var own strings.Builder
	for _, tok := range t.out[k+1:] {
		own.WriteString(tok.text)
	}
	name, n := own.String(), 1
	if i+1 < len(s) && s[i+1] == '[' {
		if e := strings.IndexByte(s[i+2:min(len(s), i+1000)], ']'); e >= 0 {
			if e > 0 {
				name = s[i+2 : i+2+e]
			}
			n = e + 3
		}
	}
	dest, ok = t.refs.find(name)
	return dest, n, ok
}

// parseDest reads "dest "title")" from i and returns where it ends. Without an
// end it returns how far it looked.
func parseDest(s string, i int) (dest string, end int, ok bool) {
	blank := func() {
		for i < len(s) && (s[i] == ' ' || s[i] == '\n') {
			i++
		}
	}
	blank()
	from := i
	if i < len(s) && s[i] == '<' {
		for i++; i < len(s) && s[i] != '>' && s[i] != '\n'; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		if i >= len(s) || s[i] != '>' {
			return "", min(i, len(s)), false
		}
		dest = s[from+1 : i]
		i++
	} else {
		depth := 0
		for ; i < len(s) && s[i] > ' '; i++ {
			if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
				i++
			} else if s[i] == '(' {
				depth++
			} else if s[i] == ')' {
				if depth == 0 {
					break
				}
				depth--
			}
		}
		dest = s[from:min(i, len(s))]
	}
	blank()
	if i < len(s) && (s[i] == '"' || s[i] == '\'' || s[i] == '(') {
		q := s[i]
		if q == '(' {
			q = ')'
		}
		for i++; i < len(s) && s[i] != q; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		i++
		blank()
	}
	if i >= len(s) {
		return "", len(s), false
	}
	return unescape(dest), i + 1, s[i] == ')'
}

// unescape takes the backslashes and entities out of a link target.
func unescape(s string) string {
	if !strings.ContainsAny(s, "\\&") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
			i++
		} else if s[i] == '&' {
			if text, n := decodeEntity(s[i:]); n > 0 {
				b.WriteString(text)
				i += n - 1
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// link makes a link of the bracket token k and what follows it. The target is
// always shown: a link's text must not hide where it leads.
func (t *tokenizer) link(k int, dest string) {
	t.flush()
	t.emphasis(k + 1)
	t.dests = append(t.dests, dest)
	image := t.out[k].image
	var own strings.Builder
	for i := k + 1; i < len(t.out); i++ {
		t.out[i].attr |= label
		if t.out[i].kind != tDelim || t.out[i].n > 0 {
			own.WriteString(t.out[i].text)
		}
	}
	t.out[k].kind, t.out[k].live, t.out[k].text = tText, false, ""
	if image {
		t.out[k].text, t.out[k].attr = "image: ", label
	} else {
		for _, b := range t.brackets {
			if !t.out[b].image {
				t.out[b].live = false // links do not nest
			}
		}
	}
	switch text := own.String(); {
	case dest == "" || dest == text || dest == "mailto:"+text || strings.HasPrefix(dest, "#"):
	case text == "" && !image:
		t.out = append(t.out, token{kind: tText, text: dest, attr: target})
	default:
		t.out = append(t.out, token{kind: tText, text: " "}, token{kind: tText, text: dest, attr: target})
	}
}

// autoEnd returns the end of the autolink that begins with the < at i, or 0.
func autoEnd(s string, i int) int {
	j := i + 1
	for j < len(s) && (s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z' || j > i+1 && (s[j] >= '0' && s[j] <= '9' || s[j] == '+' || s[j] == '.' || s[j] == '-')) {
		j++
	}
	if n := j - i - 1; n >= 2 && n <= 32 && j < len(s) && s[j] == ':' {
		for j < len(s) && s[j] > ' ' && s[j] != '<' && s[j] != '>' {
			j++
		}
		if j < len(s) && s[j] == '>' {
			return j + 1
		}
	}
	return 0
}

// mailEnd is autoEnd for an address.
func mailEnd(s string, i int) int {
	j, at := i+1, 0
	for j < len(s) && (isWord(s[j]) || strings.IndexByte(".+-@%#!$&'*/=?^{|}~`", s[j]) >= 0) {
		if s[j] == '@' {
			if at > 0 || j == i+1 {
				return 0
			}
			at = j
		} else if at > 0 && !isWord(s[j]) && s[j] != '.' && s[j] != '-' {
			return 0
		}
		j++
	}
	if at == 0 || j == at+1 || j >= len(s) || s[j] != '>' {
		return 0
	}
	return j + 1
}

func (t *tokenizer) auto(i int) int {
	if end := mailEnd(t.src, i); end > 0 {
		t.add(token{kind: tText, text: t.src[i+1 : end-1], attr: label})
		return end - i
	}
	if end := autoEnd(t.src, i); end > 0 {
		t.add(token{kind: tText, text: t.src[i+1 : end-1], attr: target})
		return end - i
	}
	t.text = append(t.text, '<')
	return 1
}
