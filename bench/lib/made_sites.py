# SPDX-License-Identifier: Apache-2.0
"""Small made sites whose records repeat values, as known_sites judges them: pages, what is content, what is menu.

Each function of KINDS returns the pages of a site: (title, HTML of its content, values that readers need). SHELLS put the
site's menus around them: by tags that say so, by names, and without both. All text is made up here.
"""
import random
import re

NOUNS = ('crane harbour lathe boiler bakery survey ledger ferry lantern orchard archive turbine meadow quarry bridge workshop '
         'kiln rudder warehouse lighthouse chapel canal tunnel mill sluice garden foundry stable tower cellar').split()
VERBS = ('repaired measured painted moved counted described inspected replaced lifted opened cleaned drew found sold '
         'restored flooded photographed visited rebuilt borrowed').split()
WHO = ('two students,the council,a retired welder,the society,an engineer,some neighbours,the insurer,a baker,the museum,'
       'three volunteers,her cousin,the harbour master').split(',')
WHEN = ('in spring,last winter,before the storm,on a Sunday,within a week,after the fair,at low tide,in the morning,'
        'during the strike,for eleven years').split(',')
PEOPLE = 'Ida Storm,Joel Park,Mara Lind,Tobias Vance,Runa Falk,Pierre Doss'.split(',')
TOWNS = 'Vik,Osterby,Halden Cross,Marrow Bay,Lindesund,Carrick'.split(',')


class Text:
    """Sentences, titles and paragraphs: the same for a seed."""

    def __init__(self, seed):
        self.of = random.Random(seed)

    def sentence(self):
        pick = self.of.choice
        line = f'{pick(WHO)} {pick(VERBS)} the {pick(NOUNS)} {pick(WHEN)}'
        more = [f', because the {pick(NOUNS)} had been {pick(VERBS)} by {pick(WHO)}', f' and {pick(VERBS)} the {pick(NOUNS)} as well', '']
        line += pick(more)
        return line[0].upper() + line[1:] + '.'

    def title(self):
        pick = self.of.choice
        return f'{pick(("The", "Our", "Another", "A new", "Their"))} {pick(NOUNS)} {pick(("and", "behind", "without", "above"))} the {pick(NOUNS)} of {pick(TOWNS)}'

    def para(self, n=3):
        return ' '.join(self.sentence() for _ in range(n))

    def paras(self, n):
        return ''.join(f'<p>{self.para()}</p>' for _ in range(n))


# --- the site around its content ---

NAV = 'Start,Fresh from the press,Handbooks and guides,Who we are,Our shop window,Where to find us'.split(',')
MEGA = [f'{a} {b}' for a in ('Wooden', 'Iron', 'Copper') for b in ('anchors', 'buoys', 'cleats', 'shackles', 'winches')]
READ = ['Ten ferries that still burn coal', 'How to splice a rope in six steps', 'The lighthouse that moved', 'Why gulls hate brass']
SAID = ['Anton on Splicing at night', 'Greta on The winter berth', 'Bo on A cheap compass', 'Sven on Rust and how to love it']
TAGS = 'varnish,sailcloth,tides,knots,rigging,ballast,caulking,oakum'.split(',')
MONTHS = ['January 2024 (7)', 'February 2024 (3)', 'March 2024 (12)', 'April 2024 (5)']
FOOT = ['Imprint and contact', 'Privacy policy', 'Terms of use', '© 2026 Quay Press Ltd. All rights reserved.', 'Harbour Lane 4, 2210 Vik']
CRUMBS = ['Home port', 'All sections']
SHARE = ['Share this page', 'Send by mail', 'Print it']
NEWSLETTER = ['Get our letter every Friday.', 'Subscribe now']


def links(texts, tag='li'):
    return ''.join(f'<{tag}><a href="/{re.sub("[^a-z]+", "-", t.lower())}">{t}</a></{tag}>' for t in texts)


def ul(texts, attrs=''):
    return f'<ul{attrs}>{links(texts)}</ul>'


def tagged(title, body):
    return f'''<header><a href="/">Quay Press</a><nav>{ul(NAV)}<div class="mega">{ul(MEGA)}</div></nav></header>
<main><nav class="breadcrumb">{ul(CRUMBS)}</nav><h1>{title}</h1>{body}<div class="share-bar">{ul(SHARE)}</div></main>
<aside><section><h3>Most read</h3>{ul(READ)}</section><section><h3>Recent comments</h3>{ul(SAID)}</section>
<section><h3>Tag cloud</h3><p>{' '.join(f'<a href="/t/{t}">{t}</a>' for t in TAGS)}</p></section><section><h3>Past months</h3>{ul(MONTHS)}</section>
<form><p>{NEWSLETTER[0]}</p><input name="mail"><button>{NEWSLETTER[1]}</button></form></aside>
<footer>{ul(FOOT[:3])}<p>{FOOT[3]}</p><p>{FOOT[4]}</p></footer>'''


def named(title, body):
    return f'''<div id="page"><div id="header"><div class="site-title"><a href="/">Quay Press</a></div><div class="menu">{ul(NAV)}</div><div class="mega-menu">{ul(MEGA)}</div></div>
<div id="content"><div class="breadcrumbs">{' / '.join(f'<a href="/{i}">{c}</a>' for i, c in enumerate(CRUMBS))}</div><h1 class="title">{title}</h1>{body}</div>
<div id="sidebar"><div class="widget"><h3>Most read</h3>{ul(READ)}</div><div class="widget recent-comments"><h3>Recent comments</h3>{ul(SAID)}</div>
<div class="widget tagcloud">{' '.join(f'<a href="/t/{t}">{t}</a>' for t in TAGS)}</div><div class="widget archives"><h3>Past months</h3>{ul(MONTHS)}</div>
<div class="widget newsletter"><p>{NEWSLETTER[0]}</p><a href="/letter">{NEWSLETTER[1]}</a></div></div>
<div id="footer"><p>{FOOT[3]}</p><p>{' | '.join(f'<a href="/f{i}">{f}</a>' for i, f in enumerate(FOOT[:3]))}</p><p>{FOOT[4]}</p></div></div>'''


def bare(title, body):
    return f'''<div><div><a href="/">Quay Press</a></div><div>{links(NAV, 'span')}</div><div><div>{ul(MEGA)}</div></div></div>
<div><div><h2>{title}</h2>{body}</div><div><div><div><b>Most read</b>{ul(READ)}</div><div><b>Recent comments</b>{ul(SAID)}</div>
<div>{links(TAGS, 'span')}</div><div>{links(MONTHS, 'p')}</div></div></div></div>
<div><p>{' - '.join(f'<a href="/f{i}">{f}</a>' for i, f in enumerate(FOOT[:3]))}</p><p>{FOOT[3]}</p><p>{FOOT[4]}</p></div>'''


def framed(title, body):
    """All of it in an element named like a menu, as frameworks do; no other name says what anything is."""
    return f'''<div id="__next"><div class="flex px-4"><a href="/">Quay Press</a><div class="flex">{links(NAV, 'div')}</div></div>
<div class="px-4"><div class="w-3/4"><h1 class="text-xl">{title}</h1>{body}</div><div class="w-1/4"><p class="text-lg">Most read</p>{ul(READ)}<p class="text-lg">Recent comments</p>{ul(SAID)}</div></div>
<div class="text-xs"><div class="flex">{links(FOOT[:3], 'div')}</div><p>{FOOT[3]}</p><p>{FOOT[4]}</p></div></div>'''


def cells(title, body):
    """Cells of a table for the layout, and no heading."""
    return f'''<table width="100%"><tr><td colspan="2"><font size="6">Quay Press</font></td></tr>
<tr><td width="150" valign="top">{'<br>'.join(f'<a href="/{i}">{n}</a>' for i, n in enumerate(NAV))}<hr><b>Most read</b><br>{'<br>'.join(f'<a href="/r{i}">{n}</a>' for i, n in enumerate(READ))}</td>
<td valign="top"><font size="5">{title}</font><br>{body}</td></tr>
<tr><td colspan="2" align="center">{' | '.join(f'<a href="/f{i}">{n}</a>' for i, n in enumerate(FOOT[:3]))}<br>{FOOT[3]}</td></tr></table>'''


MENUS = {tagged: NAV + MEGA + READ + SAID + TAGS + MONTHS + FOOT + CRUMBS + SHARE + NEWSLETTER + ['Most read', 'Recent comments', 'Past months'],
         named: NAV + MEGA + READ + SAID + TAGS + MONTHS + FOOT + CRUMBS + NEWSLETTER + ['Most read', 'Recent comments', 'Past months'],
         bare: NAV + MEGA + READ + SAID + TAGS + MONTHS + FOOT + ['Most read', 'Recent comments'],
         framed: NAV + READ + SAID + FOOT + ['Most read', 'Recent comments'],
         cells: NAV + READ + FOOT[:4] + ['Most read']}
SHELLS = {shell.__name__: shell for shell in MENUS}


# --- kinds of content: pages of (title, HTML, values) ---

def teasers(card, values, n=12, of=7):
    """Pages of a blog: no teaser stands on two of them."""
    def pages(text):
        for i in range(n):
            cards = [(text.title(), text.para(2), values(i, k)) for k in range(of)]
            yield (f'Notes from the quay, page {i + 1}', ''.join(card.format(title=t, text=p, value=v, n=i * of + k)
                                                                for k, (t, p, v) in enumerate(cards)),
                   [v for *_, v in cards] + [t for t, *_ in cards])
    return pages


def archive(row, around):
    """Lists of titles and dates: few dates, and no title stands on two pages."""
    def pages(text):
        for i in range(11):
            rows = [(text.title(), f'{k % 4 + 1} April 2026') for k in range(12)]
            yield (f'Archive of week {i + 1}', around.format(''.join(row.format(title=t, value=d, n=i * 12 + k) for k, (t, d) in enumerate(rows))), [v for r in rows for v in r])
    return pages


def jobs(text):
    """A list that is the same on all pages but for its heading, beside the jobs' own pages."""
    posts = [(f'{a} for the {b}', c, TOWNS[i % 4]) for i, (a, b, c) in enumerate(zip(
        'Welder,Cook,Driver,Clerk,Fitter,Guide,Painter,Baker'.split(','), 'yard,canteen,depot,office,dock,museum,tower,galley'.split(','),
        ['Norn Shipping', 'Bright & Daughters', 'Norn Shipping', 'Vik Council'] * 2))]
    rows = ''.join(f'<li class="job"><a href="/job/{i}">{t}</a><div class="company">{c}</div><div class="place">{p}</div></li>' for i, (t, c, p) in enumerate(posts))
    values = [v for post in posts for v in post]
    for i in range(13):
        yield f'Vacancies {("by date", "by town", "by pay", "by trade", "near you")[i % 5]} {i + 1}', f'<ul class="jobs">{rows}</ul>', values
    for t, c, p in posts:
        yield t, f'<p>{c}</p><p>{p}</p>' + text.paras(3), [c, p]


def shop(n, card, around='<ul class="products">{}</ul>'):
    """Products on category pages, on the pages of others, and on their own."""
    def pages(text):
        names = [f'{a} {b}' for a in ('Braided', 'Twisted', 'Tarred', 'Floating', 'Elastic', 'Silver') for b in ('mooring line', 'halyard', 'sheet', 'anchor rode')][:n]
        prices = [f'€{12 + i * 7 % 90}.50' for i in range(n)]
        cards = [card.format(n=i, name=names[i], price=prices[i]) for i in range(n)]

        def listed(title, some, before=''):
            return title, before + around.format(''.join(cards[i] for i in some)), [v for i in some for v in (names[i], prices[i])] + ['In stock']
        yield listed('Ropes for all boats', range(min(6, n)), f'<p>{text.para(2)}</p>')
        for c, title in enumerate(('For sailing', 'For mooring', 'For fishing', 'On sale')):
            yield listed(title, [i for i in range(n) if (i + c) % 2 == 0 or i % 4 == c])
        yield listed('What we found for rope', range(n))
        for i in range(n):
            yield names[i], f'<p class="price">{prices[i]}</p>{text.paras(2)}', [prices[i]]
    return pages


def parts(text):
    """A catalogue of tables: sizes and prices that repeat."""
    for i in range(10):
        rows = [(f'{text.of.choice(NOUNS)} bolt {i * 9 + k + 100}', f'M{4 + k % 3 * 2}', 'steel' if k % 3 else 'brass', f'{k % 4 + 1}.20 EUR') for k in range(9)]
        yield (f'Spare parts, drawer {i + 1}', '<table><tr><th>Part<th>Size<th>Metal<th>Price</tr>' + ''.join(
            '<tr>' + ''.join(f'<td>{c}</td>' for c in row) + '</tr>' for row in rows) + '</table>', [c for row in rows for c in row])


def fixtures(text):
    """Results of a league: all on one page, those of a club on its own, rounds on theirs."""
    clubs = [f'{t} {c}' for t, c in zip(TOWNS, ('Rovers', 'Athletic', 'United', 'Town', 'Rangers', 'Albion'))]
    games = [(r, a, b, f'{(r * 3 + k) % 4}:{(r + k * 2) % 3}') for r in range(10) for k, (a, b) in enumerate(
        [(clubs[(r + x) % 6], clubs[(r + 5 - x) % 6]) for x in range(3)])]
    row = lambda g: f'<tr><td>Round {g[0] + 1}</td><td>{g[1]} - {g[2]}</td><td>{g[3]}</td></tr>'

    def page(title, some):
        return title, f'<table class="fixtures">{"".join(map(row, some))}</table>', [v for g in some for v in (f'{g[1]} - {g[2]}', f'Round {g[0] + 1}')]
    yield page('All results of the season', games)
    for club in clubs:
        yield page(f'Results of {club}', [g for g in games if club in g])
    for r in range(10):
        yield page(f'Results of round {r + 1}', [g for g in games if g[0] == r])


def events(text):
    """Events as cards of div: a few venues and times."""
    all_ = [(text.title(), f'{1 + k % 28} May 2026', '19:30' if k % 2 else '20:00', ('Old Mill', 'Town Hall', 'Pier Stage')[k % 3]) for k in range(24)]
    card = lambda e: f'<div class="event"><h3>{e[0]}</h3><div class="when">{e[1]}</div><div class="hour">{e[2]}</div><div class="venue">{e[3]}</div></div>'

    def page(title, some):
        return title, ''.join(map(card, some)), [v for e in some for v in e]
    yield page('What is on', all_[:12])
    for venue in ('Old Mill', 'Town Hall', 'Pier Stage'):
        yield page(f'What is on at the {venue}', [e for e in all_ if e[3] == venue])
    for w in range(6):
        yield page(f'What is on in week {w + 18}', all_[w * 4:w * 4 + 4])


def api(text):
    """Reference pages: a table of arguments, types that repeat."""
    for i in range(14):
        names = [f'{NOUNS[(i * 5 + k) % 30]}_{("id", "size", "path", "mode")[k % 4]}' for k in range(6)]
        results = [('0', 'on success'), ('-1', 'on failure'), ('1', 'on a time-out')]
        results = [r for k, r in enumerate(results) if (i + k) % 3]
        rows = [(n, ('string', 'integer', 'boolean')[k % 3], ('required', 'optional')[k % 2], text.sentence()) for k, n in enumerate(names)]
        yield (f'{VERBS[i]}_{NOUNS[i]}', f'<p>{text.para(2)}</p><h2>Arguments</h2><table><thead><tr><th>Name<th>Type<th>Use<th>Meaning</tr></thead><tbody>' + ''.join(
            '<tr>' + ''.join(f'<td>{c}</td>' for c in row) + '</tr>' for row in rows) + f'</tbody></table><h2>Returns</h2><dl>{"".join(f"<dt>{t}</dt><dd>{d}</dd>" for t, d in results)}</dl><p>{text.para(2)}</p>',
               [c for row in rows for c in row] + [d for _, d in results])


def law_short(text):
    """Short sections of a law: two of their clauses are in all of them."""
    for i in range(9):
        clauses = [f'(1) {text.sentence()}', f'(2) {text.sentence()}', '(3) Details are laid down by ordinance.', '(4) Section 4 applies accordingly.']
        yield f'Section {i + 1}', ''.join(f'<div class="clause">{c}</div>' for c in clauses), clauses


def law(text):
    """Sections of a law: one clause is in most of them."""
    for i in range(14):
        yield (f'Section {i + 1}: {text.title()}', f'<p>(1) {text.para(2)}</p><p>(2) {text.para(2)}</p><p>(3) Details are laid down by ordinance.</p>'
               + (f'<p>(4) Section 2 applies accordingly.</p>' if i % 3 else ''), ['(3) Details are laid down by ordinance.'] + ['(4) Section 2 applies accordingly.'] * (i % 3 > 0))


def manual(text):
    """Chapters with safety notes that repeat."""
    notes = ['Disconnect the mains plug before you open the cover.', 'Wear gloves: the edges are sharp.']
    for i in range(12):
        some = [n for k, n in enumerate(notes) if (i + k) % 3]
        yield (f'{VERBS[i].capitalize()} the {NOUNS[i]}', text.paras(1) + ''.join(f'<div class="note"><b>Warning</b> {n}</div>' for n in some)
               + '<ol>' + ''.join(f'<li>{text.sentence()}</li>' for _ in range(4)) + '<li>Close the cover and tighten both screws.</li></ol>', some + ['Close the cover and tighten both screws.'])


def manual_short(text):
    """Chapters that have two of three notes, and a list of tools."""
    all_notes = ['Disconnect the mains plug before you open the cover.', 'Never work alone.', 'Keep children away.']
    for i in range(10):
        notes = [n for k, n in enumerate(all_notes) if (i + k) % 3]
        tools = ['Torx driver T10', 'Tweezers', f'{NOUNS[i]} key'][i % 4 == 0:]
        yield (f'How to replace the {NOUNS[i]}', ''.join(f'<p class="warning">{n}</p>' for n in notes) + f'<ul>{"".join(f"<li>{t}</li>" for t in tools)}</ul>'
               + ''.join(f'<p>Step {k + 1}</p><p>{text.sentence()}</p>' for k in range(3)), notes + tools + ['Step 1', 'Step 2', 'Step 3'])


def mails(text):
    """An archive of a list: a mail a page, few authors."""
    for i in range(15):
        who = PEOPLE[i % 3]
        title = text.title()
        yield title, f'<b>{who}</b> <i>Tue Mar {1 + i % 3} 10:0{i % 6}:00 2026</i><p>{text.para(2)}</p><pre>{text.para(2)}</pre><p>{text.para(2)}</p>', [who]


def mails_plain(text):
    """A mail a page, all of two people, in lines."""
    for i in range(12):
        who, title = PEOPLE[i % 2], text.title()
        yield title, f'<div class="from"><a href="/by/{who[:3]}">{who}</a></div><div class="on">Tue, {3 + i % 2} Mar 2026</div><div class="mail">{text.para(2)}</div>', [who, f'Tue, {3 + i % 2} Mar 2026']


def mails_of_one(text):
    """A mail a page, all of one person."""
    for i in range(12):
        yield text.title(), f'<div><b>Ewa Marsh</b> <a href="mailto:ewa">ewa at quay.example</a><br><i>Tue Mar {i + 3} 10:02</i></div><hr><pre>{text.para()}\n\n{text.para()}</pre><hr>', ['Ewa Marsh', f'Mar {i + 3}']


def forum(text):
    """A thread of four pages that all begin with the first post, and other threads."""
    post = lambda who, when, what: (f'<div class="post"><div class="postprofile"><a href="/u/{who[:3]}">{who}</a><div>Posts: 4{len(who)}</div></div>'
                                    f'<div class="postbody"><p class="author">{when}</p><div class="content">{what}</div></div></div>')
    first = text.para(4)
    for i in range(12):
        begin = first if i < 6 else text.para(4)
        some = [(PEOPLE[0], '3 March 2026, 10:12', begin)] + [(PEOPLE[1 + (i + k) % 3], f'{4 + k} March 2026, 11:1{i % 10}', text.para(2)) for k in range(5)]
        title = 'Which oil for an old winch' if i < 6 else text.title()
        yield f'{title} - page {i + 1}' if i < 6 else title, ''.join(post(*p) for p in some), [v for p in some for v in p]


def recipes(text):
    """Recipes share ingredients and steps."""
    common = ['1 onion', '2 cloves of garlic', 'Salt and pepper', '1 tbsp olive oil', '500 g potatoes', '200 ml stock']
    for i in range(14):
        some = [c for k, c in enumerate(common) if (i + k) % 3 or k == 0] + [f'{i + 2} {NOUNS[i]} leaves']
        steps = ['Peel and chop the onion.', text.sentence(), text.sentence(), 'Season to taste and serve hot.']
        yield (f'{text.of.choice(TOWNS)} {NOUNS[i]} stew', f'<p>{text.para(2)}</p><h2>Ingredients</h2><ul>{"".join(f"<li>{c}</li>" for c in some)}</ul><h2>Method</h2><ol>'
               + ''.join(f'<li>{s}</li>' for s in steps) + '</ol>', some + steps[:1] + steps[3:])


def timetable(text):
    """Lines of a ferry: stops and minutes in rows."""
    stops = [f'{t} {p}' for t in TOWNS for p in ('pier', 'market')]
    for i in range(10):
        some = stops[i % 5:i % 5 + 7]
        rows = [(s, *(f'{h:02}:{(k * 7 + i * 5) % 60:02}' for h in (6, 9, 14))) for k, s in enumerate(some)]
        yield (f'Ferry line {i + 1}', '<table>' + ''.join('<tr><th>' + row[0] + '</th>' + ''.join(f'<td>{c}</td>' for c in row[1:]) + '</tr>' for row in rows) + '</table>', [c for row in rows for c in row])


def glossary(text):
    """Definitions on pages of letters, of subjects, and on one of all."""
    terms = [(f'{n.capitalize()} {w}', text.sentence()) for n, w in zip(sorted(NOUNS), ('gauge', 'board', 'line') * 10)]

    def page(title, some):
        return title, f'<dl>{"".join(f"<dt>{t}</dt><dd>{d}</dd>" for t, d in some)}</dl>', [v for term in some for v in term]
    yield page('All words', terms)
    for k in range(3):
        yield page(f'Words about {NOUNS[k]}s', terms[k::3])
    for k in range(0, 30, 5):
        yield page(f'Words from {terms[k][0]}', terms[k:k + 5])


def staff(text):
    """Cards of people: roles, rooms."""
    for i in range(8):
        some = [(f'{PEOPLE[(i + k) % 6].split()[0]} {NOUNS[(i * 6 + k) % 30].capitalize()}', ('Lecturer', 'Research assistant')[k % 2], f'Room 2.1{k % 3}') for k in range(6)]
        yield (f'Department of {NOUNS[i]}s', ''.join(f'<div class="person"><h3>{n}</h3><p>{r}</p><p>{o}</p></div>' for n, r, o in some), [v for p in some for v in p])


def catalogue(text):
    """Books of a library as paragraphs: place and state repeat."""
    for i in range(10):
        some = [(text.title(), PEOPLE[(i + k) % 6], ('Available', 'On loan')[k % 3 == 0], 'Main library, floor 2') for k in range(8)]
        yield (f'New books in week {i + 1}', ''.join(f'<div><p><a href="/b{i}-{k}">{t}</a></p><p>{w}</p><p>{s}</p><p>{p}</p></div>' for k, (t, w, s, p) in enumerate(some)), [v for b in some for v in b])


def hours(start, row, end):
    """Branches whose hours and prices are the same."""
    rows = [('Monday to Friday', '9:00 to 17:00'), ('Saturday', '10:00 to 14:00'), ('Adults', '8 EUR'), ('Children', '3 EUR')]

    def pages(text):
        for i in range(9):
            yield (f'The museum of {TOWNS[i % 6]} {NOUNS[i]}s', text.paras(2) + '<h2>Hours and prices</h2>' + start + ''.join(
                row.format(a, b) for a, b in rows) + end + text.paras(1), [v for r in rows for v in r])
    return pages


def address(text):
    """The same address below the text of each page."""
    for i in range(9):
        yield (f'The {NOUNS[i]} of {TOWNS[i % 6]}', text.paras(3) + '<h2>Where it is</h2><p>Harbour Street 14, 2214 Vik</p><p>Telephone 555 0142</p>', ['Harbour Street 14, 2214 Vik', 'Telephone 555 0142'])


def changes(text):
    """Notes of releases: lines that repeat between others."""
    for i in range(12):
        items = [text.sentence(), 'Updated translations.', text.sentence(), 'Fixed typos.', text.sentence()]
        yield f'Release 2.{i}', f'<h2>Changes</h2><ul>{"".join(f"<li>{c}</li>" for c in items)}</ul><p>{text.para(3)}</p>', ['Updated translations.', 'Fixed typos.']


DAY = '{title}</a></h2><div class="entry-date">{value}</div><p>{text}</p></div>'
CARD = '<li class="card"><a href="/p{n}"><img src="/{n}.jpg" alt="{name}"><h3>{name}</h3></a><span class="price">{price}</span><span class="stock">In stock</span><button>Add to cart</button></li>'
PLAIN = '<div><p><a href="/p{n}">{name}</a></p><p>{price}</p><p>In stock</p></div>'
KINDS = {
    'teasers of a day': teasers('<div class="post"><h2><a href="/n{n}">' + DAY, lambda i, k: '12 March 2026'),
    'teasers of a day, time': teasers('<article><h2><a href="/n{n}">{title}</a></h2><p><time>12 March 2026</time></p><p>{text}</p></article>', lambda i, k: '12 March 2026'),
    'teasers of an author': teasers('<article><h2><a href="/n{n}">{title}</a></h2><p class="author">{value}</p><p>{text}</p></article>', lambda i, k: PEOPLE[0]),
    'teasers of three days': teasers('<div><h3><a href="/n{n}">{title}</a></h3><p>{value}</p><p>{text}</p></div>', lambda i, k: f'{k % 3 + 1} March 2026'),
    'teasers of authors': teasers('<li><a href="/n{n}">{title}</a><div class="by">{value}</div><div>{text}</div></li>', lambda i, k: PEOPLE[(i + k) % 3]),
    'teasers of fixed days': teasers('<div class="entry"><h2><a href="/n{n}">{title}</a></h2><div class="date">{value}</div><p>{text}</p></div>', lambda i, k: f'{k + 1} March 2026'),
    'short teasers': teasers('<div><h3><a href="/n{n}">{title}</a></h3><p>{value}</p></div>', lambda i, k: PEOPLE[k % 2], 8),
    'archive list': archive('<li><a href="/n{n}">{title}</a> <span class="date">{value}</span></li>', '<ul class="archive">{}</ul>'),
    'archive table': archive('<tr><td>{value}</td><td><a href="/n{n}">{title}</a></td></tr>', '<table>{}</table>'),
    'archive of paragraphs': archive('<p><a href="/n{n}">{title}</a></p><p>{value}</p>', '<div>{}</div>'),
    'jobs': jobs,
    'shop of 6': shop(6, CARD), 'shop of 12': shop(12, CARD), 'shop of 24': shop(24, CARD),
    'shop of 6, plain': shop(6, PLAIN, '<div>{}</div>'), 'shop of 12, plain': shop(12, PLAIN, '<div>{}</div>'),
    'spare parts': parts, 'fixtures': fixtures, 'events': events, 'API tables': api, 'law': law, 'short law': law_short, 'manual': manual, 'short manual': manual_short, 'mail archive': mails, 'mails, plain': mails_plain, 'mails of one': mails_of_one,
    'forum': forum, 'recipes': recipes, 'timetable': timetable, 'glossary': glossary, 'staff': staff, 'library': catalogue,
    'hours': hours('<table>', '<tr><td>{}</td><td>{}</td></tr>', '</table>'), 'hours, list': hours('<ul>', '<li>{}: {}</li>', '</ul>'), 'hours, terms': hours('<dl>', '<dt>{}</dt><dd>{}</dd>', '</dl>'),
    'hours, lines': hours('<p>', '{} {}<br>', '</p>'), 'address': address, 'releases': changes,
}


def page_of(shell, title, body):
    return f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} | Quay Press</title></head><body>\n{shell(title, body)}\n</body></html>\n'
