# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl;

# The harness of t/, in one import: strict, warnings, Test::More and
#   backend { ... }      a scripted server (Test::Tmpl::Backend)
#   site()               the fixture site (Test::Tmpl::Site)
#   httpd(...)           a started httpd (Test::Tmpl::Httpd)
#   proxy(BACKEND, ...)  a started httpd whose every path is proxied to the backend
#   cgi(SCRIPT, ...)     an httpd, not started, that runs a CGI script; skips the test if it cannot
#   redis(...)           a private redis-server (Test::Tmpl::Redis); skips the test if there is none
#   wait_for { ... }     waiting for a condition (Test::Tmpl::Process)
#   within SECONDS, sub  the result of sub, which must take less time
#   corpus_pages(DIR...) the pages of corpora; speed_pages(DIR) those whose speed is measured; spread(N, LIST) N items of a list, evenly spread

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More ();
use Test::Tmpl::Backend;
use Test::Tmpl::Client;
use Test::Tmpl::Field;
use Test::Tmpl::Httpd;
use Test::Tmpl::Process qw(wait_for spawn end_process alive children slurp spit temp_dir give_to_server free_port memory_of cpu_of);
use Test::Tmpl::Redis;
use Test::Tmpl::Site;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

# The mark that annotate puts into the start tag of an element.
our $MARK = ' data-tmpl=""';

# Configuration: a field of the request selects the detector incremental.
our $BY_FIELD = "<If \"req('X-Detector') == 'incremental'\">\n    TmplDetector incremental\n</If>\n";

# Configuration: the field X-Mode of a request selects one of these modes.
sub modes_by_field { return join '', map { "<If \"req('X-Mode') == '$_'\">\n    TmplMode $_\n</If>\n" } @_ }

my @HERE = qw(modes_by_field backend site httpd proxy cgi redis unmark within same_bytes state_of wrong_without_store corpus_pages speed_pages spread);
my @PROCESS = qw(wait_for spawn end_process alive children slurp spit temp_dir give_to_server free_port memory_of cpu_of);

sub import {
    strict->import;
    warnings->import;
    my $caller = caller;
    no strict 'refs';
    *{"${caller}::$_"} = \&{$_} for @HERE, @PROCESS;
    @_ = ('Test::More');
    goto &{ Test::More->can('import') };
}

sub backend(&) { return Test::Tmpl::Backend->new(@_) }
sub site { return Test::Tmpl::Site->new(@_) }
sub httpd { return Test::Tmpl::Httpd->new(@_)->start }

sub proxy {
    my ($backend, %args) = @_;
    $args{conf} = 'ProxyPass / ' . $backend->url . "/\n" . ($args{conf} // '');
    return httpd(%args);
}

# $script is Perl; "use lib" for a copy of this folder is put in front of it. It runs as /PATH/script for each
# PATH of paths => [...]; conf => more configuration.
sub cgi {
    my ($script, %args) = @_;
    my $module = Test::Tmpl::Httpd::mpm() eq 'prefork' ? 'cgi' : 'cgid';
    Test::More::plan(skip_all => "no mod_$module") if !Test::Tmpl::Httpd::has_module($module);
    my $aliases = join '', map { "ScriptAlias /$_/ \"\@ROOT\@/htdocs/\"\n" } @{ $args{paths} };
    my $socket = $module eq 'cgid' ? "ScriptSock \"\@ROOT\@/run/cgid\"\n" : '';
    my $httpd = Test::Tmpl::Httpd->new(modules => [$module], conf => <<"END" . $args{conf});
$aliases$socket<Directory "\@ROOT\@/htdocs">
    Require all granted
    Options +ExecCGI
</Directory>
END
    # a copy: the server's user may be unable to read this tree, if it is below /root for instance
    my $lib = $httpd->root . '/lib';
    system('cp', '-R', abs_path(dirname(__FILE__) . '/..'), $lib) == 0 or die "cannot copy to $lib\n";
    chmod 0755, spit($httpd->root . '/htdocs/script', "#!$^X\nuse lib '$lib';\n$script");
    return $httpd;
}

sub redis {
    Test::More::plan(skip_all => 'no redis-server') if !Test::Tmpl::Redis::available();
    return Test::Tmpl::Redis->new(@_);
}

# An annotated page without the marks.
sub unmark {
    my ($html) = @_;
    return $html =~ s/\Q$MARK\E(?=[\s>\/])|<!--\/?tmpl-->//gr;
}

# Returns the list that $code returns. If $code took longer than $seconds, its result means nothing, and
# it runs again.
sub within {
    my ($seconds, $code) = @_;
    for (1 .. 5) {
        my $start = clock_gettime(CLOCK_MONOTONIC);
        my @is = $code->();
        return @is if clock_gettime(CLOCK_MONOTONIC) - $start < $seconds;
    }
    die "five times this took longer than $seconds s\n";
}

# As is(), for pages: on failure it shows where the pages differ.
sub same_bytes {
    my ($got, $want, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return Test::More::pass($name) if $got eq $want;
    my $at = 0;
    $at++ while $at < length $got && $at < length $want && substr($got, $at, 1) eq substr($want, $at, 1);
    Test::More::fail($name);
    Test::More::diag(sprintf "lengths %d and %d, differ at %d:\n  got  ...%s\n  want ...%s",
        length $got, length $want, $at, map { substr $_, $at > 30 ? $at - 30 : 0, 100 } $got, $want);
    return 0;
}

# What is wrong with a response to /page/N while the store fails; undef if nothing is. incremental has
# to decline the page; auto has to judge it without the store and to report the failure.
sub fault_of {
    my ($res, $detector, $site, $n) = @_;
    my $incremental = $detector eq 'incremental';
    return 'status ' . $res->status . ', ' . ($res->error // 'whole') if $res->status != 200 || !$res->complete;
    return 'other bytes' if $res->body ne $site->page($n) && ($incremental || $res->body ne $site->stripped($n));
    return 'Tmpl: ' . ($res->header('Tmpl') // '')
        if $res->says('declined') ne ($incremental ? 'store' : '') || $res->says('store') ne ($incremental ? '' : '0');
    return;
}

# Requests pages @n with both detectors from a server that has $BY_FIELD; returns a line for each fault.
sub wrong_without_store {
    my ($httpd, $site, @n) = @_;
    my @wrong;
    for my $detector (qw(incremental auto)) {
        for my $n (@n) {
            my $fault = fault_of($httpd->get("/page/$n", headers => { 'X-Detector' => $detector }), $detector, $site, $n);
            push @wrong, "$detector, page $n: $fault" if defined $fault;
        }
    }
    return @wrong;
}

# The names of all pages DIR/SITE/pages/*.html and DIR/DATA_SET/SITE/pages/*.html, sorted.
sub corpus_pages {
    return sort map { (glob "\Q$_\E/*/pages/*.html"), glob "\Q$_\E/*/*/pages/*.html" } @_;
}

# 240 pages of a corpus, of 20 to 200 KB; without one all pages of httpd's manual.
sub speed_pages {
    my ($corpus) = @_;
    my $manual = '/usr/share/doc/apache2-doc/manual/en';
    my @pages = defined $corpus ? spread(240, grep { -s > 20_000 && -s _ < 200_000 } corpus_pages($corpus)) : split /\n/, qx(find $manual -name '*.html' | sort);
    @pages or die defined $corpus ? "no pages in $corpus\n" : "apache2-doc is missing: apt-get install apache2-doc\n";
    return @pages;
}

sub spread {
    my ($n, @all) = @_;
    return @all <= $n ? @all : map { $all[$_ * @all / $n] } 0 .. $n - 1;
}

# The states of the responses in one string: "cold learning warm".
sub state_of {
    return join ' ', map { $_->says('state') } @_;
}

1;
