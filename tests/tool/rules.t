#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl rules prints files of ftr-site-config as directives; tmplctl explain --xpath prints paths that these
# directives take.
use strict;
use warnings;

use File::Temp;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;

my $tmplctl = $ENV{TMPLCTL} // "$FindBin::Bin/../../build/tmplctl";
my $dir = File::Temp->newdir('tmpl-rules-XXXXXX', TMPDIR => 1, CLEANUP => 1);

# What it prints for a file of that name, its messages, and its exit code.
sub rules {
    my ($name, $text) = @_;
    open my $out, '>', "$dir/$name" or die "$dir/$name: $!";
    print $out $text;
    close $out or die "$dir/$name: $!";
    my $said = qx('$tmplctl' rules '$dir/$name' 2>'$dir/messages');
    my $code = $? >> 8;
    open my $in, '<', "$dir/messages" or die "$dir/messages: $!";
    local $/;
    return ($said, scalar <$in>, $code);
}

my ($said, $messages, $code) = rules('example.org.txt', <<'END');
# title of the page
title: //h1
 strip : //div[@class='a"b\c']  
strip_id_or_class: promo
strip_id_or_class: "it's"
strip_id_or_class: 'quoted'
test_url: http://example.org/
END
is($said, <<'END', 'directives');
<If "%{SERVER_NAME} == 'example.org'">
    TmplDrop "xpath://div[@class='a\"b\\c']"
    TmplDrop "xpath://*[contains(@class, 'promo') or contains(@id, 'promo')]"
    TmplDrop "xpath://*[contains(@class, \"it's\") or contains(@id, \"it's\")]"
    TmplDrop "xpath://*[contains(@class, 'quoted') or contains(@id, 'quoted')]"
</If>
END
is($code, 0, 'success');
like($messages, qr/example\.org\.txt: 2 lines say what mod_tmpl has no directive for$/, 'what is left out is counted');

($said, $messages, $code) = rules('no host.txt', "strip: //aside\n");
is "$said $code", ' 1', 'a file that is not named after a host';
like $messages, qr/must be named after its host, as example\.org\.txt/, 'is refused';

($said) = rules('.example.org.txt', "body: //article | //main\n");
is($said, <<'END', 'a host with its subdomains; body');
<If "'.%{SERVER_NAME}' -strcmatch '*.example.org'">
    TmplKeep "xpath://article | //main"
</If>
END
($said) = rules('a.example.txt', "body: //main\nstrip: //aside\n");
is($said, <<'END', 'body would hide strip');
<If "%{SERVER_NAME} == 'a.example'">
    # keeps what is dropped below: TmplKeep "xpath://main"
    TmplDrop "xpath://aside"
</If>
END
($said, $messages, $code) = rules('x.example.txt', "strip: //div[\nstrip: \${X}\nstrip_id_or_class: a'b\"c\nstrip: //b\n");
is($said, "<If \"%{SERVER_NAME} == 'x.example'\">\n    TmplDrop \"xpath://b\"\n</If>\n", 'invalid ones are left out');
is($code, 1, 'failure');
like($messages, qr/x\.example\.txt:1: strip: XPath .* invalid at character 7$/m, 'a line that is no XPath');
like($messages, qr/x\.example\.txt:$_: \w+: cannot be written/m, "line $_ cannot be written") for 2, 3;
is(system("'$tmplctl' rules '$dir/no such' 2>/dev/null") >> 8, 1, 'a file that is missing');

# The first block's path names that block alone.
open my $page, '>', "$dir/page.html" or die "$dir/page.html: $!";
print $page '<!DOCTYPE html><body><div>one</div><div><p>two</p><ul><li>three</ul></div>';
close $page or die "$dir/page.html: $!";
my @paths = qx('$tmplctl' explain --xpath --json '$dir/page.html') =~ /"xpath": "([^"]+)"/g;
is("@paths", '/html/body/div[1] /html/body/div[2]/p /html/body/div[2]/ul/li', 'explain --xpath');
done_testing;
