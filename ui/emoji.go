package ui

import (
	"strings"

	"forge/ui/composer"
	"forge/ui/emoji"
	"forge/ui/lang"
)

// emojiSetting is the setting that leaves emoji out.
const emojiSetting = "editor.emoji"

// tongue is in the name of the language that emoji have a second name in.
const tongue = "中文"

// offeredEmoji is how many are offered for what was written of a name.
const offeredEmoji = 24

// emojiNames is where the prompt looks emoji up; nil where they are not wanted.
func emojiNames(wanted bool) *composer.Emoji {
	if !wanted {
		return nil
	}
	return &composer.Emoji{Named: emoji.Named, Find: func(query string) (found []composer.Found) {
		for _, e := range emoji.Find(query, offeredEmoji) {
			about := ":" + e.Name + ":"
			if strings.Contains(lang.Name(lang.Tag()), tongue) {
				about += " " + e.Chinese
			}
			found = append(found, composer.Found{Text: e.Sign, About: about})
		}
		return found
	}}
}
