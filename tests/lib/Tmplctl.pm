# SPDX-License-Identifier: Apache-2.0
package Tmplctl;

# Shared by the tests of tmplctl: pages of a site in a temporary directory, which becomes the
# working directory, and functions that run the tool. TMPLCTL or BUILD name it.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use IPC::Open3;
use Symbol qw(gensym);
use Test::More;

use Test::Tmpl::Process;

our @EXPORT = qw($tool $root $dir $frame $n @pages spew slurp feed feed_as_is run redirected clean clean_args page many unmarked
    names usage_is);

binmode $_, ':encoding(UTF-8)' for Test::More->builder->output, Test::More->builder->failure_output;

our $root = abs_path(dirname(__FILE__) . '/../..');
our $tool = abs_path($ENV{TMPLCTL} // "$root/" . ($ENV{BUILD} // 'build') . '/tmplctl');
plan skip_all => 'there is no tmplctl: run make first' unless defined $tool && -x $tool;

our $dir = tempdir(CLEANUP => 1);
chdir $dir or die $!;
delete $ENV{TMPL_STORE};

sub spew {
    my ($name, $bytes) = @_;
    open my $f, '>:raw', $name or die "$name: $!";
    print $f $bytes;
    close $f or die "$name: $!";
}

sub slurp {
    my ($name) = @_;
    open my $f, '<:raw', $name or return undef;
    local $/;
    return scalar <$f>;
}

# Runs the tool with input on its standard input: (exit code or signal name, stdout, stderr). The
# default detector here is incremental, whose verdicts are easy to predict in a test.
sub feed {
    my ($input, @args) = @_;
    splice @args, 1, 0, '--detector', 'incremental'
        if @args > 1 && $args[0] eq 'clean' && !grep { /^--(?:detector|help)$/ } @args;
    return feed_as_is($input, @args);
}

sub feed_as_is {
    my ($input, @args) = @_;
    Test::Tmpl::Process::set_limit();
    spew('.in', $input);
    open my $in, '<', '.in' or die $!;
    my $pid = open3('<&' . fileno($in), my $out, my $err = gensym, $tool, @args);
    # stdout is read to its end before stderr, which must fit into its pipe
    my ($o, $e) = map { local $/; <$_> // '' } $out, $err;
    waitpid $pid, 0;
    return ($? & 127 ? 'signal ' . ($? & 127) : $? >> 8, $o, $e);
}
sub run { return feed('', @_) }

# Runs the tool with a shell's redirection, such as '>&-': (exit code, stdout, stderr). A stream that
# is redirected is empty.
sub redirected {
    my ($how, @args) = @_;
    system 'sh', '-c', qq{exec "\$@" >red.out 2>red.err $how}, 'sh', $tool, @args;
    return ($? & 127 ? 'signal ' . ($? & 127) : $? >> 8, slurp('red.out'), slurp('red.err'));
}
sub clean { my ($mode, $out, @rest) = @_; return run(clean_args($mode, $out), @rest) }
sub clean_args { return ('clean', '--mode', $_[0], '--site', 's', '--out', $_[1]) }

# A page of a site: the same frame around different text.
our $frame = '<div id="nav"><a href="/">Home</a> <a href="/about">About this site</a></div>';
my $foot = '<div class="foot">Copyright Somebody, all rights reserved</div>';
sub page {
    my ($i, $content) = @_;
    $content //= "<p>Story number $i tells of thing $i</p><p>and of what came of it, $i times.</p>";
    return "<!DOCTYPE html>\n<html><head><title>T$i</title></head><body>\n$frame\n"
        . "<div id=\"main\"><h1>Title $i</h1>$content</div>\n$foot\n</body></html>\n";
}
our $n = 12;
mkdir 'pages' or die $!;
our @pages = map { sprintf 'pages/p%02d.html', $_ } 1 .. $n;
spew($pages[$_ - 1], page($_)) for 1 .. $n;

# many/1.html and so on: enough pages to interrupt the tool, and to fill a store.
sub many {
    mkdir 'many';
    spew("many/$_.html", page($_, "<p>Page $_ says this.</p>" x 40)) for 1 .. 3000;
}

sub unmarked { my ($html) = @_; return $html =~ s/ data-tmpl=""|<!--\/?tmpl-->//gr }

sub names {
    my ($d) = @_;
    opendir my $h, $d or return '';
    return join ' ', sort grep { !/^\.\.?$/ } readdir $h;
}

sub usage_is {
    my ($args, $like, $name) = @_;
    my ($code, $out, $err) = run(@$args);
    is($code, 2, "$name: exit code 2");
    like($err, $like, "$name: the message");
    is($out, '', "$name: nothing on standard output");
}

END { chdir '/' }

1;
