# SPDX-License-Identifier: Apache-2.0

# TmplMark: every preset of shared/rewrite/rewrite.h and marks of the operator's own, through a proxy. A page
# without the marks is the page that the backend sent, template is in a mark and the article is not, the Tmpl
# field says how much template is in no mark, entity tags name the marks, and foreign marks of the page stay.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $table = slurp("$FindBin::Bin/../../shared/rewrite/rewrite.h") =~ s/\\\n/ /gr;
my %preset;    # name => [attribute with its value, elements, begin, end]
my $string = qr/"([^"]*)"/;
while ($table =~ /\bX\($string, $string, $string, $string, $string, $string, $string,\s+$string\)/g) {
    $preset{$1} = [$2 eq '' ? '' : qq( $2="$3"), $4, $6, $7];
}
cmp_ok scalar keys %preset, '>=', 10, 'the presets';
my %own = ('data-skip' => [' data-skip=""', '', '', ''], 'data-skip=yes' => [' data-skip="yes"', '', '', ''],
    '<!-- off --><!-- on -->' => ['', '', '<!-- off -->', '<!-- on -->']);
my %mark = (%preset, %own);

my $site = site(extra => sub { $_[0] == 20
    ? '<!--noindex--><p>of the author</p><!--/noindex--><p data-pagefind-ignore data-nosnippet>own</p><!-- googleoff: all -->end' : '' });
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{/page/(\d+)$};
    return $connection->head(304, { ETag => "\"$n\"" }) if ($request->{headers}{'if-none-match'} // '') eq "\"$n\"";
    return $connection->respond(200, { 'Content-Type' => 'text/html', ETag => "\"$n\"" }, $site->page($n));
};
my $i = 0;
my %path = map { $_ => '/m' . $i++ } sort keys %mark;
# parts has the attribute of data-tmpl
my @all = map { qq("$_") } grep { !/^(?:data-skip=yes|parts)$/ } sort keys %mark;
my $httpd = proxy($backend, conf => "TmplMode annotate\n<Location /all>\n    TmplMark @all\n</Location>\n"
    . join '', map { "<Location $path{$_}>\n    TmplMark \"$_\"\n</Location>\n" } sort keys %mark);
$httpd->get("/m0/page/$_") for 1 .. 8;

# A page without some marks.
sub without {
    my ($html, @marks) = @_;
    for my $mark (@marks) {
        my ($attribute, undef, $begin, $end) = @$mark;
        $html =~ s/\Q$attribute\E(?=[\s>])//g if $attribute ne '';
        $html =~ s/\Q$begin\E|\Q$end\E//g if $begin ne '';
    }
    return $html;
}

for my $name (sort keys %mark) {
    subtest $name => sub {
        my ($attribute, $elements, $begin, $end) = @{ $mark{$name} };
        my $res = $httpd->get("$path{$name}/page/9");
        my $html = $res->body;
        same_bytes(without($html, $mark{$name}), $site->page(9), 'without its marks the page is as it was');
        like $html, qr/<article id="article"><h1>/, 'the article has none';
        if ($elements ne '') {
            same_bytes($html, $site->page(9), 'no element of the template is one of those');
            is $res->says('unmarked'), '1', 'and the field says so';
        }
        elsif ($attribute ne '') {
            like $html, qr/$_\Q$attribute\E>/, "$_ has it" for '<header id="top"', '<aside class="side"', '<footer';
            is scalar(() = $html =~ /\Q$attribute\E/g), 3, 'nothing else has';
        }
        else {
            like $html, qr/\Q$begin\E<header.*<\/header>\Q$end\E/s, 'around the header';
            like $html, qr/\Q$begin\E<aside.*<\/footer>\Q$end\E/s, 'one pair around both parts behind the article';
            is scalar(() = $html =~ /\Q$begin\E/g), 2, 'no more';
        }
        is $res->says('unmarked'), '0', 'all template is in a mark' if $elements eq '';
        my $tag = $res->header('ETag');
        is $httpd->get("$path{$name}/page/9", headers => { 'If-None-Match' => $tag })->status, 304, 'its entity tag is known';
    };
}

subtest 'entity tags' => sub {
    my %of;
    push @{ $of{ $httpd->get("$_/page/9")->header('ETag') } }, $_ for sort(values %path), '/all';
    is join(' | ', map { "@$_" } grep { @$_ > 1 } values %of), '', 'each list of marks has another';
    ok exists $of{'W/"9-tmpl-annotate"'}, 'the default is without a name';
    my ($one, $other) = sort values %path;
    my $tag = $httpd->get("$one/page/9")->header('ETag');
    is $httpd->get("$other/page/9", headers => { 'If-None-Match' => $tag })->status, 200, 'the tag of one is not known to another';
};

subtest 'several at once' => sub {
    my $res = $httpd->get('/all/page/9');
    my @marks = map { $mark{s/"//gr} } @all;
    same_bytes(without($res->body, @marks), $site->page(9), 'without them the page is as it was');
    for my $mark (grep { $_->[1] eq '' } @marks) {
        my ($attribute, undef, $begin, $end) = @$mark;
        my $alone = $attribute eq '' ? qr/\Q$begin\E(?:<!--[^>]*-->)*<header/ : qr/<header[^>]*\Q$attribute\E/;
        like $res->body, $alone, $attribute . $begin;
    }
    is $res->says('unmarked'), '1', 'the share is that of the one which marks least';
};

# Page 20 has marks in its article.
subtest 'marks of the page' => sub {
    my $article = $site->piece(20, 'article');
    for my $name (grep { $_ ne 'googleoff' } sort keys %mark) {
        my $html = $httpd->get("$path{$name}/page/20")->body;
        isnt index($html, $article), -1, "$name: they stay as they are";
    }
    my $html = $httpd->get("$path{googleoff}/page/20")->body;
    same_bytes($html =~ s/<!--googleo(?:ff|n): index-->//gr, $site->page(20), 'googleoff: the page with marks');
    is scalar(() = $html =~ /<!--googleoff: index-->/g), 1, 'only in front of a range of the page that does not end';
};

$httpd->finish;

subtest 'other modes' => sub {
    for my $mode (qw(headers strip)) {
        my $other = proxy($backend, conf => "TmplMode $mode\nTmplMark pagefind\n");
        $other->expect_log(qr/T040.*TmplMark has no effect/);
        my $res = ($other->visit(1 .. 9))[8];
        same_bytes($res->body, $mode eq 'strip' ? $site->stripped(9) : $site->page(9), "$mode: no marks");
        is $res->says('unmarked'), '', 'nothing about them in the field';
        is $res->header('ETag'), $mode eq 'strip' ? 'W/"9-tmpl-strip"' : '"9"', 'nor in the tag';
        $other->finish;
    }
};

done_testing;
