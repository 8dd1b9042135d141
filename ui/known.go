package ui

import (
	"unicode"

	tea "charm.land/bubbletea/v2"

	"forge/lazy"
	"forge/ui/keymap"
)

// locks are modifiers nobody holds down.
const locks = tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock

// known is a key press under the name the map has for it. Terminals that tell all keys
// apart send what stands on the key and which modifiers are held, where a person, and
// the map, mean what the key writes then: ctrl+_ is ctrl+shift+- there, and ctrl+c on
// a Russian keyboard is ctrl+с. A name the map has is left alone.
func known(keys *keymap.Map, k tea.KeyPressMsg) tea.KeyPressMsg {
	k.Mod &^= locks
	base := k.BaseCode
	if k.ShiftedCode == base { // the decoder writes the one over the other
		k.ShiftedCode = 0
	}
	k.BaseCode = 0 // it would be named instead: ctrl+q for ctrl+a on a French keyboard
	if k.Mod&^tea.ModShift == 0 || keys.Names(k.String()) {
		return k
	}
	if base != 0 && k.Code > unicode.MaxLatin1 {
		if k.Code = base; keys.Names(k.String()) {
			return k
		}
	}
	if k.Mod&tea.ModShift != 0 && unicode.IsPrint(k.Code) {
		if other := byText(k); keys.Names(other.String()) {
			return other
		}
	}
	if same, ok := sameKey.Get()[k.String()]; ok {
		return tea.KeyPressMsg{Code: same}
	}
	return k
}

// byText is a key with shift by what it writes: a letter is named by the small one.
func byText(k tea.KeyPressMsg) tea.KeyPressMsg {
	if unicode.IsLetter(k.Code) {
		k.Code = unicode.ToLower(k.Code)
		return k
	}
	if k.Mod &^= tea.ModShift; k.ShiftedCode != 0 {
		k.Code = k.ShiftedCode
	}
	return k
}

// sameKey is the keys that are one on terminals that cannot tell them apart, so that
// hands know them as one.
var sameKey = lazy.Value[map[string]rune]{Of: func() map[string]rune {
	return map[string]rune{"ctrl+[": tea.KeyEscape, "ctrl+i": tea.KeyTab, "ctrl+m": tea.KeyEnter}
}}
