/* Marks what the shared library shows; everything else is hidden. */
#ifndef MATPREC_EXPORT_H_
#define MATPREC_EXPORT_H_

#define MATPREC_API __attribute__((visibility("default")))
/* The same for a guard class whose unnamed temporary would be a mistake. */
#define MATPREC_NODISCARD_API [[nodiscard, gnu::visibility("default")]]

#endif /* MATPREC_EXPORT_H_ */
