package display

// Terminals count cells by code points, until they say that they count graphemes
// (mode 2027). For text of one code point a character both are the same, and only for
// other text it matters that the difference is known. The table for code points takes
// 2 MB once it is asked for, so it is not asked before there is such text.

// even are code points that stand for a character each, and are as wide by either count:
// letters, punctuation, what lines and boxes are drawn with, and what is written in
// Chinese, Japanese and Korean.
var even = [][2]rune{
	{0x20, 0x7e}, {0xa0, 0xac}, {0xae, 0x2ff}, {0x370, 0x373}, {0x391, 0x3a1}, {0x3a3, 0x3ff}, {0x400, 0x482}, {0x48a, 0x52f},
	{0x2010, 0x2027}, {0x2030, 0x205e}, {0x20a0, 0x20bf}, {0x2100, 0x214f}, {0x2190, 0x2319}, {0x2500, 0x25fc}, {0x2701, 0x2704},
	{0x2706, 0x2709}, {0x270e, 0x2727}, {0x2729, 0x274b}, {0x2756, 0x2756}, {0x2758, 0x2794}, {0x2798, 0x27af}, {0x2800, 0x28ff}, {0x3000, 0x3029}, {0x3031, 0x303e}, {0x3041, 0x3096},
	{0x309b, 0x30ff}, {0x3105, 0x312f}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3}, {0xff01, 0xff60}, {0xffe0, 0xffe6},
}

// isEven says that a row holds nothing else. Escape sequences are all ASCII, but for
// the addresses of links, of which the worst is that they count as text.
func isEven(row string) bool {
next:
	for _, r := range row {
		if r < 0x7f { // controls included: they begin a sequence
			continue
		}
		for _, span := range even {
			if r <= span[1] {
				if r >= span[0] {
					continue next
				}
				break
			}
		}
		return false
	}
	return true
}
