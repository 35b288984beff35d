"""Text to vocabulary pieces: the same rules as `src/static-model.ts`, which a test holds against `pieces.fixture.json`."""

import re
import unicodedata

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
CYRILLIC = re.compile(r"[\u0400-\u04ff]")
RUN = re.compile(r"[a-z0-9]+|[\u0400-\u04ff]+|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
LONGEST_CJK_PIECE = 8
LONGEST_WORD = 40


def split_case(text):
    """A space where a camelCase or an ACRONYMWord identifier changes words."""
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", text)


def fold(text):
    """Lower case, without accents, in composed compatibility form; Korean syllables stay whole."""
    text = unicodedata.normalize("NFKD", split_case(text)).lower().replace("ß", "ss")
    text = "".join(c for c in text if not (0x0300 <= ord(c) <= 0x036F))
    return unicodedata.normalize("NFC", text)


def runs(text):
    return RUN.findall(fold(text))


def pieces(text, vocabulary):
    """The pieces of a text: a whole word where it is known, else greedy longest subwords, as WordPiece has it."""
    found = []
    for run in runs(text):
        if CJK.match(run):
            found.extend(longest_matches(run, vocabulary))
        elif CYRILLIC.match(run):
            found.extend(longest_start(run, vocabulary))
        elif run in vocabulary:
            found.append(run)
        else:
            for part in re.findall(r"[a-z]+", run):
                found.extend(word_pieces(part, vocabulary))
    return found


def word_pieces(word, vocabulary):
    if word in vocabulary:
        return [word]
    if len(word) > LONGEST_WORD:
        return []
    found, start = [], 0
    while start < len(word):
        end = len(word)
        while end > start:
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocabulary:
                break
            end -= 1
        if end == start:
            return []
        found.append(piece)
        start = end
    return found


def longest_matches(run, vocabulary):
    """Scripts without spaces: the longest known piece at each place; an unknown character is passed over."""
    found, start = [], 0
    while start < len(run):
        for end in range(min(len(run), start + LONGEST_CJK_PIECE), start, -1):
            if run[start:end] in vocabulary:
                found.append(run[start:end])
                start = end
                break
        else:
            start += 1
    return found


def longest_start(run, vocabulary):
    """Scripts of languages that inflect much: the longest known beginning of a word, whatever its ending."""
    starts = (run[:end] for end in range(min(len(run), LONGEST_CJK_PIECE), 0, -1))
    return [start for start in starts if start in vocabulary][:1]


if __name__ == "__main__":
    import json

    words = """get create list send message file files invoice calendar event s3 oauth web ##hook ##hooks kubernetes pod log logs
    user data base ##base re ##start ##ing delete rechnung erstellen strasse crear factura creer 创建 发票 日历 的 カレンダー 予定 追加 請求 書
    메시지 보내 фаил письм a b c ##d ##e""".split()
    texts = [
        "getUserData", "HTTPServer getURLFor2FA", "list-s3_files.v2", "Restarting the pod", "Straße Rechnung erstellen!", "Crear una factura",
        "Créer la facture", "创建发票", "請求書を追加", "カレンダーに予定を追加して", "메시지를 보내", "oauth2 OAuth", "webhooks", "xyzzy", "", "ＦＩＬＥ ﬁles",
        "database user123 s3", "a" * 60, "de\u0301lete", "sendMessage\nto\tuser", "__proto__ constructor", "😀 file 😀",
        "Прочитай ФАЙЛЫ", "письмо notes.txt файла2", "fileфайл", "фа",
    ]
    cases = [{"text": text, "pieces": pieces(text, set(words))} for text in texts]
    print(json.dumps({"vocabulary": words, "cases": cases}, ensure_ascii=False, indent=2))
