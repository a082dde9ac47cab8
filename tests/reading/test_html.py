"""The text of HTML."""

import pytest

from wideangle.reading import text_of_html


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("no tags at all\nline", "no tags at all\nline"),
        ("Fish &amp; chips &eacute;t&#233; &lt;b&gt;", "Fish & chips été <b>"),
        ("<p>one</p><p>two<br>three</p>", "one two three"),
        ("bro<b>ken</b> w<i>or</i>d", "broken word"),
        ("<style>p {color: red}</style>seen<script>if (a < b) {hidden()}</script> too", "seen too"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("<p>unclosed <b>and", "unclosed and"),
        ("a < b and c > d", "a < b and c > d"),
        ("<!-- hidden -->seen<![CDATA[x]]>", "seen"),
        ("</script>stray end", "stray end"),
        ("<div/>x<br/>y", "x y"),
    ],
)
def test_text(source, text):
    assert text_of_html(source) == text
