package keymap

import "strings"

// unbound stands in a hint for the key of an action that has none.
const unbound = "–"

// Named is a hint with the keys in force: text names, in this order, the first key
// that each of the actions has by itself, and may be a translation.
func (m *Map) Named(text string, actions ...Action) string {
	if m == nil || m == defaults.Get() {
		return text
	}
	var out strings.Builder
	for _, a := range actions {
		was, is := Default().First(a), m.First(a)
		at := standing(text, was)
		if arrow := arrows[was]; at < 0 && arrow != "" {
			if at = strings.Index(text, arrow); at >= 0 {
				was = arrow
				if is == Default().First(a) {
					is = arrow
				}
			}
		}
		if at < 0 {
			continue
		}
		if is == "" {
			is = unbound
		}
		before := text[:at]
		text = text[at+len(was):]
		if is != was { // arrows stand side by side, words do not
			if before == "" && endsWordy(out.String()) {
				before = " "
			}
			if startsArrow(text) {
				is += " "
			}
		}
		out.WriteString(before + is)
	}
	return out.String() + text
}

// Together is the first keys of actions, as text has them while nobody changed one.
func (m *Map) Together(text string, actions ...Action) string {
	var list []string
	changed := false
	for _, a := range actions {
		k := m.First(a)
		changed = changed || k != Default().First(a)
		if k == "" {
			k = unbound
		}
		list = append(list, k)
	}
	if !changed {
		return text
	}
	return strings.Join(list, " ")
}

// arrows are how hints write the keys that have one.
var arrows = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}

func startsArrow(text string) bool {
	for _, a := range arrows {
		if strings.HasPrefix(text, a) {
			return true
		}
	}
	return false
}

func endsWordy(text string) bool { return text != "" && text[len(text)-1] != ' ' }

// standing finds a key in a text where it stands by itself.
func standing(text, key string) int {
	for from := 0; key != ""; {
		i := strings.Index(text[from:], key)
		if i < 0 {
			break
		}
		at, end := from+i, from+i+len(key)
		if (at == 0 || !wordy(text[at-1])) && (end == len(text) || !wordy(text[end])) {
			return at
		}
		from = end
	}
	return -1
}

func wordy(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+'
}
