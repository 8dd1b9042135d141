package provider

import (
	"encoding/base64"
	"encoding/binary"
)

// Size is the width and height of a picture in pixels, read from its first bytes; 0, 0
// where they do not say.
func (i Image) Size() (w, h int) {
	head := i.head(4 << 10)
	switch {
	case len(head) >= 24 && string(head[1:4]) == "PNG" && string(head[12:16]) == "IHDR":
		return sane(int(binary.BigEndian.Uint32(head[16:])), int(binary.BigEndian.Uint32(head[20:])))
	case len(head) >= 10 && string(head[:4]) == "GIF8":
		return sane(int(binary.LittleEndian.Uint16(head[6:])), int(binary.LittleEndian.Uint16(head[8:])))
	case len(head) >= 30 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return sane(webpSize(head))
	case len(head) >= 4 && head[0] == 0xff && head[1] == 0xd8:
		if w, h := jpegSize(head); w > 0 {
			return sane(w, h)
		}
		const enough = 256 << 10 // a camera's notes and preview come before the size
		return sane(jpegSize(i.head(enough)))
	}
	return 0, 0
}

// head decodes the beginning of a picture, at most n bytes of it.
func (i Image) head(n int) []byte {
	data := i.Data
	if most := base64.StdEncoding.EncodedLen(n); len(data) > most {
		data = data[:most]
	}
	b := make([]byte, base64.StdEncoding.DecodedLen(len(data)))
	n, _ = base64.StdEncoding.Decode(b, []byte(data)) // what can be read of it
	return b[:n]
}

// sane forgets a size that no picture has.
func sane(w, h int) (int, int) {
	const most = 1 << 20
	if w <= 0 || h <= 0 || w > most || h > most {
		return 0, 0
	}
	return w, h
}

// webpSize reads the first chunk of a WebP of 30 bytes or more: of its extended, its lossless
// and its lossy form.
func webpSize(b []byte) (w, h int) {
	three := func(at int) int { return int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16 }
	switch string(b[12:16]) {
	case "VP8X":
		return three(24) + 1, three(27) + 1
	case "VP8L":
		bits := binary.LittleEndian.Uint32(b[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(b[26:]) & 0x3fff), int(binary.LittleEndian.Uint16(b[28:]) & 0x3fff)
	}
	return 0, 0
}

// jpegSize looks for the frame of a JPEG.
func jpegSize(b []byte) (w, h int) {
	for at := 2; at+9 < len(b); {
		if b[at] != 0xff {
			return 0, 0
		}
		marker := b[at+1]
		switch {
		case marker == 0xff: // a fill byte
			at++
			continue
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			return int(binary.BigEndian.Uint16(b[at+7:])), int(binary.BigEndian.Uint16(b[at+5:]))
		case marker == 0xda || marker == 0xd9:
			return 0, 0
		}
		at += 2 + int(binary.BigEndian.Uint16(b[at+2:]))
	}
	return 0, 0
}
