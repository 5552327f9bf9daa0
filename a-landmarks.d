landmarks.o: /tmp/w/lm/landmarks.c /tmp/w/lm/detect/landmarks.h \
 shared/detect/verdict.h shared/detect/parts.h shared/base/tmpl.h \
 /usr/include/apr-1.0/apr_errno.h /usr/include/apr-1.0/apr.h \
 /usr/include/apr-1.0/apr_pools.h /usr/include/apr-1.0/apr_errno.h \
 /usr/include/apr-1.0/apr_general.h /usr/include/apr-1.0/apr_pools.h \
 /usr/include/apr-1.0/apr_want.h /usr/include/apr-1.0/apr_allocator.h \
 /usr/include/apr-1.0/apr_thread_mutex.h /usr/include/apr-1.0/apr_time.h \
 shared/page/page.h shared/html/attr_names.h shared/html/attr.h \
 /usr/include/apr-1.0/apr_cstr.h /usr/include/apr-1.0/apr.h \
 /usr/include/apr-1.0/apr_tables.h shared/base/ascii.h \
 shared/base/bytes16.h shared/base/bytes8.h shared/html/edit_flags.h \
 shared/html/tag_set.h shared/html/tag.h
/tmp/w/lm/detect/landmarks.h:
shared/detect/verdict.h:
shared/detect/parts.h:
shared/base/tmpl.h:
/usr/include/apr-1.0/apr_errno.h:
/usr/include/apr-1.0/apr.h:
/usr/include/apr-1.0/apr_pools.h:
/usr/include/apr-1.0/apr_errno.h:
/usr/include/apr-1.0/apr_general.h:
/usr/include/apr-1.0/apr_pools.h:
/usr/include/apr-1.0/apr_want.h:
/usr/include/apr-1.0/apr_allocator.h:
/usr/include/apr-1.0/apr_thread_mutex.h:
/usr/include/apr-1.0/apr_time.h:
shared/page/page.h:
shared/html/attr_names.h:
shared/html/attr.h:
/usr/include/apr-1.0/apr_cstr.h:
/usr/include/apr-1.0/apr.h:
/usr/include/apr-1.0/apr_tables.h:
shared/base/ascii.h:
shared/base/bytes16.h:
shared/base/bytes8.h:
shared/html/edit_flags.h:
shared/html/tag_set.h:
shared/html/tag.h:
