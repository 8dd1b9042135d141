package vim

import "unicode/utf8"

// press takes a key of normal mode or of a visual one. It reports false for a key
// that means nothing.
func (v *Vim) press(b *buffer, key string) bool {
	if key == "esc" {
		switch {
		case len(v.typed) > 0:
			v.clear()
		case v.mode != Normal:
			v.mode = Normal
		default:
			return false
		}
		return true
	}
	if !v.means(b, key) {
		return len(v.typed) > 0 || char(key) != ""
	}
	v.typed = append(v.typed, key)
	if v.digit(key) {
		return true
	}
	v.keys = append(v.keys, key)
	if v.step(b, key) {
		v.clear()
	}
	return true
}

// char is the character a key types, or empty.
func char(key string) string {
	switch {
	case key == "space":
		return " "
	case utf8.RuneCountInString(key) == 1, key != "" && key[0] >= utf8.RuneSelf:
		return key
	}
	return ""
}

// means reports whether a key could be part of a command; one that could not ends what
// was begun.
func (v *Vim) means(b *buffer, key string) bool {
	switch key {
	case "left", "right", "up", "down", "home", "end", "backspace", "delete", "space", "ctrl+h":
		return true
	case "ctrl+r":
		return v.mode == Normal
	case "enter":
		return v.wait == "r"
	}
	return char(key) != ""
}

// digit takes a figure of a count.
func (v *Vim) digit(key string) bool {
	at := &v.count
	if v.op != "" {
		at = &v.more
	}
	if v.wait != "" || len(key) != 1 || key[0] < '0' || key[0] > '9' || key == "0" && *at == 0 {
		return false
	}
	const most = 10_000 // of a text for people
	*at = min(*at*10+int(key[0]-'0'), most)
	return true
}

// times is how often a command is wanted, and whether that was said.
func (v *Vim) times() (n int, said bool) {
	return max(v.count, 1) * max(v.more, 1), v.count > 0 || v.more > 0
}

// step takes a key of a command, and reports whether that is whole.
func (v *Vim) step(b *buffer, key string) (whole bool) {
	n, said := v.times()
	if v.wait != "" {
		return v.waited(b, key, n, said)
	}
	switch key {
	case "f", "F", "t", "T", "g":
		v.wait = key
		return false
	case "i", "a":
		if v.op != "" || v.mode != Normal {
			v.wait = key
			return false
		}
	case "r":
		if v.op == "" {
			v.wait = key
			return false
		}
	}
	switch {
	case v.op != "" && key == v.op:
		v.lined(b, n)
		return true
	case v.op != "":
		v.operate(b, key, n, said)
		return true
	case v.mode == Normal && (key == "d" || key == "c" || key == "y" || key == ">" || key == "<"):
		v.op = key
		return false
	case v.mode != Normal && v.visual(b, key, n):
		return true
	case v.mode == Normal && v.command(b, key, n):
		return true
	}
	v.move(b, key, n, said)
	return true
}

// waited takes the key behind one that needs another.
func (v *Vim) waited(b *buffer, key string, n int, said bool) (whole bool) {
	wait := v.wait
	v.wait = ""
	switch wait {
	case "g":
		if key == "g" || key == "e" || key == "E" {
			if v.op != "" {
				v.operate(b, "g"+key, n, said)
			} else {
				v.move(b, "g"+key, n, said)
			}
		}
	case "f", "F", "t", "T":
		c := char(key)
		if c == "" {
			return true
		}
		v.find = [2]string{wait, c}
		to, r, ok := b.search(wait, c, n, false)
		switch {
		case !ok:
		case v.op != "":
			v.apply(b, v.op, to, r)
		default:
			b.Cur = to
		}
	case "r":
		v.overwrite(b, key, n)
	case "i", "a":
		from, to, r, ok := b.object(wait == "a", key, n)
		switch {
		case !ok:
		case v.op != "":
			v.act(b, v.op, from, to, b.widened(v.op, from, to, r))
		case r == fullLines:
			v.mode, v.anchor, b.Cur = Lines, from, max(from, b.prev(to))
		default:
			v.anchor, b.Cur = from, max(from, b.prev(to))
		}
	}
	return true
}

// move goes where a motion leads. Rows of a screen are the writer's.
func (v *Vim) move(b *buffer, key string, n int, said bool) {
	if v.mode == Normal {
		switch key {
		case "j", "down":
			b.rows = n
			return
		case "k", "up":
			b.rows = -n
			return
		}
	}
	if to, _, ok := v.motion(b, key, n, said); ok {
		b.Cur = to
	}
}

// dot does the last change again.
func (v *Vim) dot(b *buffer, n int, said bool) {
	last := v.last
	if len(last.keys) == 0 {
		return
	}
	if said {
		last.count = n
	}
	v.clear()
	v.dotting = true
	v.count = last.count
	for _, k := range last.keys {
		v.keys = append(v.keys, k)
		if v.step(b, k) {
			v.clear()
		}
	}
	if v.mode == Insert {
		b.put(last.words)
		v.leave(b)
	}
	v.dotting = false
	v.last = last
}

// changed remembers a command for a dot.
func (v *Vim) changed() {
	if !v.dotting {
		v.last = change{keys: v.keys, count: max(v.count, 1) * max(v.more, 1)}
		if v.count == 0 && v.more == 0 {
			v.last.count = 0
		}
	}
}
